/** Whether a text has the host of one of these base URLs, whatever its case. */
export function hasAddress(text: string, baseUrls: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return baseUrls.some((baseUrl) => lower.includes(new URL(baseUrl).host))
}
