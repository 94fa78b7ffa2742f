import type { Secret } from '@contract'
import { mask } from '@/domain/draft/request-texts'
import { isJsonObject } from '@/domain/text/json-path'

/** The secrets of a text with their values, and the positions of masks without one. */
export interface Unmasked {
  secrets: unknown[]
  unknown: number[]
  /** Whether the text shows a value. */
  clear: boolean
}

/**
 * Replaces masks in a text with their values. A mask stands for the value of the secret with its name, wherever that
 * is now; otherwise of the secret at its position, which was renamed; otherwise for the last known value of its name,
 * in case the secret was cut and pasted back.
 */
export function unmask(
  shown: readonly unknown[],
  before: readonly Secret[],
  remembered: ReadonlyMap<string, string>,
): Unmasked {
  const used = new Set<number>()
  const take = (index: number): string | undefined => {
    const secret = before[index]
    if (!secret || secret.value === '' || used.has(index)) return undefined
    used.add(index)
    return secret.value
  }
  // Indexed by name once: a text may have thousands of secrets.
  const indexesByName = new Map<string, number[]>()
  before.forEach(({ name }, index) => {
    const same = indexesByName.get(name)
    if (same) same.push(index)
    else indexesByName.set(name, [index])
  })
  const firstUnused = (name: unknown): number => {
    const left = typeof name === 'string' ? (indexesByName.get(name) ?? []) : []
    while (left.length > 0 && used.has(left[0]!)) left.shift()
    return left[0] ?? -1
  }
  const values = new Map<number, string>()
  const rounds: ((name: unknown, index: number) => string | undefined)[] = [
    (name, index) => (before[index]?.name === name ? take(index) : undefined),
    (name) => take(firstUnused(name)),
    (_name, index) => take(index),
    (name) => remembered.get(String(name)),
  ]
  const isMasked = (secret: unknown): secret is Secret => isJsonObject(secret) && secret.value === mask
  for (const round of rounds) {
    shown.forEach((secret, index) => {
      if (!isMasked(secret) || values.has(index)) return
      const value = round(secret.name, index)
      if (value !== undefined) values.set(index, value)
    })
  }
  return {
    secrets: shown.map((secret, index) =>
      isJsonObject(secret) ? { name: '', value: '', ...secret, ...valueAt(values, index) } : secret,
    ),
    unknown: shown.flatMap((secret, index) => (isMasked(secret) && !values.has(index) ? [index] : [])),
    clear: shown.some((secret) => isJsonObject(secret) && secret.value !== mask && Boolean(secret.value)),
  }
}

const valueAt = (values: ReadonlyMap<number, string>, index: number): { value?: string } =>
  values.has(index) ? { value: values.get(index)! } : {}
