/** The longest name of an environment or a view, in characters. */
const longestName = 60

/**
 * A name with a number, cut so that it isn't too long: the first that is free.
 *
 * @param ending what stands behind the name with a number; the numbers begin with 1
 */
export function freeName(
  name: string,
  isTaken: (name: string) => boolean,
  ending: (number: number) => string,
): string {
  for (let number = 1; ; number += 1) {
    const free = beginning(name, longestName - ending(number).length) + ending(number)
    if (!isTaken(free)) return free
  }
}

/** What a cut may leave of a character: half of it, a joiner, or a variation selector. */
const leftOver = /(?:[\ud800-\udbff]|\u200c|\u200d|\ufe0f)+$/

const beginning = (name: string, length: number): string =>
  name.length <= length ? name : name.slice(0, length).replace(leftOver, '').trimEnd()
