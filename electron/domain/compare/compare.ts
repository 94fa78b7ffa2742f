import { hiddenValue } from '@contract/deployment-api/reading/secret-values'
import { canonical } from './items'
import { byPlace, type Field, type Side } from './side'

/**
 * How a field compares. "Not reported" means that the sides can't tell: a service accepts the field without answering
 * it, a request has it and an answer can't or the other way round, or the value is hidden.
 */
export type Outcome = 'same' | 'differs' | 'only-left' | 'only-right' | 'not-reported'

/** A field of both sides, or of one. */
export interface ComparedField extends Pick<Field, 'key' | 'member' | 'labels'> {
  /** The values; null where a side has none. */
  left: unknown
  right: unknown
  outcome: Outcome
  /** Why it is hidden unless everything is shown; null if it isn't. */
  hidden: 'noise' | 'ignored' | null
}

/**
 * Compares two sides, field by field, in the order of the groups.
 *
 * @param ignored the keys of fields to hide
 */
export function compare(left: Side, right: Side, ignored: ReadonlySet<string> = new Set()): ComparedField[] {
  const compared: ComparedField[] = []
  const add = (one: Field | undefined, other: Field | undefined): void => {
    const { key, member, labels } = (one ?? other)!
    const outcome =
      one && other
        ? outcomeOfBoth(one.value, other.value)
        : one
          ? outcomeOfOne(one, left, right, 'only-left')
          : outcomeOfOne(other!, right, left, 'only-right')
    const hidden = ignored.has(key) ? 'ignored' : isNoise(one ?? other!, left, right) ? 'noise' : null
    compared.push({
      key,
      member,
      labels,
      left: one?.value ?? null,
      right: other?.value ?? null,
      outcome,
      hidden,
    })
  }
  let [nextLeft, nextRight] = [0, 0]
  for (;;) {
    const one = left.fields[nextLeft]
    const other = right.fields[nextRight]
    if (!one && !other) return compared
    const order = !one ? 1 : !other ? -1 : byPlace(one, other)
    add(order <= 0 ? one : undefined, order >= 0 ? other : undefined)
    if (order <= 0) nextLeft += 1
    if (order >= 0) nextRight += 1
  }
}

function outcomeOfBoth(left: unknown, right: unknown): Outcome {
  if (left === hiddenValue || right === hiddenValue) return 'not-reported'
  const isSame = left === right || (typeof left === 'object' && canonical(left) === canonical(right))
  if (!isSame) return 'differs'
  return isPartlyHidden(left) ? 'not-reported' : 'same'
}

const isPartlyHidden = (value: unknown): boolean =>
  typeof value === 'string' ? value.includes(hiddenValue) : Array.isArray(value) && value.some(isPartlyHidden)

function outcomeOfOne({ member }: Field, has: Side, lacks: Side, only: Outcome): Outcome {
  if (lacks.kind === 'request') return has.kind === 'answer' && member.answersOnly ? 'not-reported' : only
  const isMissing = !lacks.reported.has(member.path)
  if (has.kind === 'request') return isMissing || member.seldomReported ? 'not-reported' : only
  // If a service answers a member for one deployment, it does so for others too.
  return isMissing && has.environmentId !== lacks.environmentId ? 'not-reported' : only
}

function isNoise({ member }: Field, left: Side, right: Side): boolean {
  if (member.answersOnly && (left.kind === 'request' || right.kind === 'request')) return true
  if (member.noise === 'between-environments') return left.environmentId !== right.environmentId
  return member.noise === 'always'
}
