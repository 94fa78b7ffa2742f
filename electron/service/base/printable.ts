/** The longest text in a line, in characters. Longer ones are cut. */
const longest = 300

/** A text for one line of a log: cut if it is too long, with everything but printable ASCII escaped. */
export function printable(text: string): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}...` : text
  return cut.replace(/[^ -~]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  )
}
