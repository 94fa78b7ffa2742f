/**
 * A file's name, without its extension, that is valid on every file system.
 *
 * @param name any text
 * @param otherwise what is used if nothing of it can be in a file's name
 */
export const fileNameOf = (name: string, otherwise: string): string =>
  name
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, 100) || otherwise
