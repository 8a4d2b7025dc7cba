/** Something that a person should know about an input that was read, although it does not stop it. */
export interface IntakeNote {
  /** Capital letters, as codes of errors. */
  readonly code: string;
  /** A sentence or two, without a full stop at the end. */
  readonly text: string;
}
