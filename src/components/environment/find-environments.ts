import type { Environment } from '@contract'

/** From how many environments on a list of them can be searched. */
export const manyEnvironments = 12

/** The environments whose name or base URL has every word of a text. */
export function findEnvironments(environments: readonly Environment[], text: string): readonly Environment[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return environments
  return environments.filter(({ name, profile }) => {
    const searched = `${name}\n${profile?.baseUrl ?? ''}`.toLocaleLowerCase()
    return words.every((word) => searched.includes(word))
  })
}
