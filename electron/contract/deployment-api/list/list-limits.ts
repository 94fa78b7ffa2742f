/** Bounds of the list's paging (interface: Limits). */
export const pageLimits = { min: 1, max: 100, default: 20 } as const

/**
 * What an answer of a service may cost: whoever reads one reads no more of it than this.
 *
 * The interface promises a service that answers about what it was asked for; nothing keeps it, or what stands in its
 * place, from answering anything else.
 */
export const answerLimits = {
  /** The largest answer that is received, in bytes as unpacked. */
  bytes: 32 * 1024 * 1024,
  /** The largest one that is kept in the local cache as it passes: handing more to it would hold up the window. */
  storedBytes: 4 * 1024 * 1024,
  /** Values in one answer, counting every text, number, list and object: what parsing it takes of memory. */
  values: 2_000_000,
  /** Levels of lists and objects: far more than anything in the interface, far fewer than the stack bears. */
  levels: 1_000,
  /** A page may have this many times as many items as were asked for. */
  timesLimit: 10,
  /** Items of one list that cannot be read: reading stops at the next one. */
  unreadable: 100,
  /** Findings that are told of one item, and the length of their words in characters. */
  findings: 3,
  reasonLength: 300,
  /** Repositories of one listing, which has no pages. The rest is left out, and that is said. */
  repositories: 10_000,
  /** Characters of an identifier. Longer ones make an item unreadable: cut, they would name something else. */
  identifierLength: 500,
  /** Characters of any other text in a list; the rest is cut. A deployment that is opened shows the whole text. */
  summaryTextLength: 500,
  /** Characters of a text of a repository. A longer one is left out: cut, it would be another address. */
  repositoryTextLength: 2_000,
  /** Characters of all texts of a listing of repositories together. */
  repositoriesLength: 4_000_000,
  /** What is shown of one deployment; the rest is cut, and that is said. */
  detail: { values: 10_000, levels: 32, length: 500_000, textLength: 100_000 },
  /** Values of all deployments together that are compared with an attempt at their name. */
  comparedValues: 5_000,
} as const

/** How many items a page may have that was asked for with this limit. Small pages may come as large as usual ones. */
export function mostItems(limit: number): number {
  return Math.max(limit * answerLimits.timesLimit, pageLimits.max)
}

/** A text of a list, cut at its limit; the mark at its end shows that. */
export function shortText<Text extends string | null>(text: Text): Text | string {
  return text === null ? text : cutText(text, answerLimits.summaryTextLength)
}

/** The beginning of a text, never half a character, with a mark where something was cut. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)}…`
}

/** Splits a comma-separated list of identifiers (`tag_value_ids`, `deployment_ids`), dropping blanks. */
export function splitIds(text: string | null | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
