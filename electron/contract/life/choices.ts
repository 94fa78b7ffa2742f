import { z } from 'zod'
import { exactly } from '../core/exact-json'
import { answerLimits, cutText } from '../deployment-api/list'
import type { Read } from '../deployment-api/reading'

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

export interface Choice {
  id: string
  name: string | null
  namespaces: string[]
}

/** What the form can offer, as a service lists it: nothing where it has no such list. */
export interface FormChoices {
  integrations: Choice[]
  listeners: Choice[]
}

/** Reads a list of integrations or listeners. Unreadable ones are left out. */
export function readChoices(answer: unknown): Read<Choice[]> {
  const { value } = exactly(answer)
  const list: unknown = Array.isArray(value) ? value : (value as { resources?: unknown } | null)?.resources
  if (!Array.isArray(list)) return { ok: false, reason: 'expected a list' }
  const choices = list.slice(0, most).flatMap((item) => {
    const read = listedChoiceSchema.safeParse(item)
    return read.success ? [read.data] : []
  })
  return { ok: true, value: choices }
}
