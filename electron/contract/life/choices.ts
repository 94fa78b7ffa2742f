import { z } from 'zod'
import { exactly } from '../core/exact-json'
import { answerLimits, cutText } from '../deployment-api/list'
import { type Read, readAs, type ReadDetail, readFound, unread } from '../deployment-api/reading'
import { hiddenValue, withoutSecretValues } from '../deployment-api/reading/secret-values'

/** How many integrations or listeners are offered, and namespaces of one. */
const most = 500

const text = z.string().transform((long) => cutText(long, answerLimits.summaryTextLength))

/** An integration or a listener that a service lists. A listener has no name, but the identifier of its cluster. */
const listedChoiceSchema = z
  .object({
    id: z.string().min(1).max(answerLimits.identifierLength),
    name: text.optional().catch(undefined),
    compute_id: text.optional().catch(undefined),
    compute_config: z
      .object({ k8s_namespaces: z.array(text).max(most).catch([]) })
      .catch({ k8s_namespaces: [] }),
  })
  .transform(({ id, name, compute_id, compute_config }) => ({
    id,
    name: name ?? compute_id ?? null,
    namespaces: compute_config.k8s_namespaces,
  }))

export type Choice = z.infer<typeof listedChoiceSchema>

/** What the form can offer, as a service lists it: nothing where it has no such list. */
export interface FormChoices {
  integrations: Choice[]
  listeners: Choice[]
}

/** Reads a list of integrations or listeners. Unreadable ones are left out. */
export function readChoices(answer: unknown): Read<Choice[]> {
  const { value } = exactly(answer)
  const list: unknown = Array.isArray(value) ? value : (value as { resources?: unknown } | null)?.resources
  if (!Array.isArray(list)) return unread('expected a list')
  const choices = list.slice(0, most).flatMap((item) => {
    const read = listedChoiceSchema.safeParse(item)
    return read.success ? [read.data] : []
  })
  return readAs(choices)
}

/**
 * A deployment that is about to be changed, with what only the main process may know: the values of its secrets, and
 * its resource spec with the values of variables. Neither goes anywhere but back to the service that answered them.
 */
export interface HeldDeployment {
  detail: ReadDetail
  /** Null where the service hides the value. */
  secrets: { name: string; value: string | null }[]
  spec: unknown
}

/** Reads the deployment with an identifier from an answer of List deployments; null if it isn't there. */
export function readHeld(answer: unknown, id: string): Read<HeldDeployment | null> {
  const found = readFound(answer, 1, id)
  if (!found.ok) return found
  const { detail } = found.value
  if (detail === null) return readAs(null)
  const { resources } = answer as { resources: { id?: unknown }[] }
  const item = resources.find((one) => one.id === id) as {
    secrets?: unknown
    source_config?: { resource_spec?: unknown } | null
  }
  const secrets = (Array.isArray(item.secrets) ? (item.secrets as unknown[]) : []).flatMap((secret) => {
    const { name, value } = (secret ?? {}) as { name?: unknown; value?: unknown }
    return typeof name === 'string' ? [{ name, value: isHidden(value) ? null : String(value) }] : []
  })
  return readAs({ detail, secrets, spec: exactly(item.source_config?.resource_spec).value })
}

/** Whether a service, or Slipway, shows something else in place of a value. */
const isHidden = (value: unknown): boolean =>
  typeof value !== 'string' || /^(?:\*+|•+|[<[(]?(?:hidden|redacted|masked)[>\])]?)?$/i.test(value)

type Path = (string | number)[]

/**
 * A value as the operator edited it, with what Slipway hid from them in its texts: the texts at the same place, where items
 * of lists are known by their names.
 *
 * @returns the paths of hidden values that aren't known
 */
export function withHiddenValues(edited: unknown, held: unknown): { value: unknown; missing: Path[] } {
  const missing: Path[] = []
  const fill = (value: unknown, known: unknown, shown: unknown, path: Path): unknown => {
    if (typeof value === 'string' && value.includes(hiddenValue)) {
      if (value !== shown || isHidden(known)) missing.push(path)
      return known
    }
    if (Array.isArray(value)) {
      return value.map((item: unknown, index) =>
        fill(item, counterpart(item, index, known), counterpart(item, index, shown), [...path, index]),
      )
    }
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        fill(member, memberOf(known, name), memberOf(shown, name), [...path, name]),
      ]),
    )
  }
  return { value: fill(edited, held, withoutSecretValues(held), []), missing }
}

const memberOf = (holder: unknown, name: string): unknown =>
  typeof holder === 'object' && holder !== null ? (holder as Record<string, unknown>)[name] : undefined

/** The item of a list that has an item's name; that at its place if it has no name. */
function counterpart(item: unknown, index: number, list: unknown): unknown {
  if (!Array.isArray(list)) return undefined
  const nameOf = (one: unknown): unknown => (one as { name?: unknown } | null)?.name
  const name = nameOf(item)
  return name === undefined ? (list[index] as unknown) : list.find((one) => nameOf(one) === name)
}
