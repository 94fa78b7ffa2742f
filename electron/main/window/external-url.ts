/** The schemes that may leave the application. Others could start programs or read files. */
const allowedSchemes = ['https:', 'mailto:']

/** The link as it may be opened: parsed and written again, or null where it may not leave the application. */
export function externalUrl(text: string): string | null {
  try {
    const url = new URL(text)
    if (!allowedSchemes.includes(url.protocol)) return null
    if (url.username !== '' || url.password !== '') return null
    return url.href
  } catch {
    return null
  }
}
