import { z } from 'zod';

/** Which part of a workbook, folder or archive is read. */
export const fileOptions = z.strictObject({
  sheet: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({
      description:
        'Sheet of a workbook: its name, or its number from 1. Default: the first visible one that is not empty.',
      examples: ['Members'],
    }),
  files: z
    .array(z.string().min(1).max(1_000))
    .min(1)
    .max(100)
    .optional()
    .meta({
      description:
        'Files of a folder or ZIP archive: names or patterns such as members*.csv. Default: those with rows at its top.',
      examples: [['enrollments*.csv']],
    }),
});
