/** The longest text in a line. The rest is cut. */
const longest = 300

/** A text on one line of a log: cut to a length, with everything but printable ASCII escaped. */
export function printable(text: string): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}...` : text
  return cut.replace(/[^ -~]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  )
}
