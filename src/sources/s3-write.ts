import { type FileHandle, open } from 'node:fs/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';

/** Writes objects. An object is there when all of it is. */

/**
 * Size in bytes above which a file is sent in parts of at least this size, which are held in memory one after the
 * other.
 */
const PART_BYTES = 8 * 1024 ** 2;
const MAX_PARTS = 10_000;

export interface ObjectPlace {
  readonly Bucket: string;
  readonly Key: string;
}

/** @param path of the file whose bytes it gets */
export async function putFile(
  client: S3Client,
  at: ObjectPlace,
  path: string,
  abortSignal: AbortSignal,
): Promise<void> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > PART_BYTES) return await putParts(client, at, file, size, abortSignal);
    await client.send(new PutObjectCommand({ ...at, Body: await bytesOf(file, 0, size) }), { abortSignal });
  } finally {
    await file.close();
  }
}

/** Begins an upload and gives it up: an object that was put would need the right to delete it. */
export async function tryPut(client: S3Client, at: ObjectPlace, abortSignal: AbortSignal): Promise<void> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at), { abortSignal });
  await client.send(new AbortMultipartUploadCommand({ ...at, UploadId }), { abortSignal });
}

async function putParts(
  client: S3Client,
  at: ObjectPlace,
  file: FileHandle,
  size: number,
  abortSignal: AbortSignal,
): Promise<void> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at), { abortSignal });
  const length = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS));
  try {
    const Parts: { readonly PartNumber: number; readonly ETag: string | undefined }[] = [];
    for (let start = 0; start < size; start += length) {
      const PartNumber = Parts.length + 1;
      const Body = await bytesOf(file, start, Math.min(length, size - start));
      const { ETag } = await client.send(new UploadPartCommand({ ...at, UploadId, PartNumber, Body }), { abortSignal });
      Parts.push({ PartNumber, ETag });
    }
    const whole = new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts } });
    await client.send(whole, { abortSignal });
  } catch (error) {
    // Else its parts are kept, and paid for. A rule of the bucket removes the parts that a crash leaves.
    await client.send(new AbortMultipartUploadCommand({ ...at, UploadId })).catch(() => {});
    throw error;
  }
}

async function bytesOf(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
  if (bytesRead < length) throw new Error('the file has become shorter while it was sent');
  return buffer;
}
