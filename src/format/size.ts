/** A size in megabytes: "about 3.2 MB", "less than 0.1 MB". */
export function megabytes(bytes: number): string {
  const size = bytes / 1024 ** 2
  if (size < 0.1) return bytes === 0 ? '0 MB' : 'less than 0.1 MB'
  return `about ${size.toLocaleString('en', { maximumFractionDigits: 1 })} MB`
}
