/** The code of an error of the file system, such as ENOSPC, for a message. */
export const errorCode = (error: unknown): string =>
  (error as NodeJS.ErrnoException | null)?.code ?? 'unknown error'
