import { hiddenValue } from '@contract/deployment-api/secret-values'
import type { ComparedField, Outcome } from './compare'
import { isObject, itemsOf, keyWithin } from './items'
import { groupLabels } from './members'
import type { Side } from './side'

const outcomeLabels: Readonly<Record<Outcome, string>> = {
  same: 'Same',
  differs: 'Differs',
  'only-left': 'Only left',
  'only-right': 'Only right',
  'not-reported': 'Not reported',
}

/**
 * A side as JSON, for a comparison line by line: members in alphabetical order, lists in the order of their names, of
 * secrets the names alone.
 *
 * @param shown the keys of the fields to show
 */
export function sideText({ document }: Side, shown: ReadonlySet<string>): string {
  return JSON.stringify(shownObject(document, '', shown) ?? {}, null, 2)
}

function shownPart(value: unknown, key: string, name: string, shown: ReadonlySet<string>): unknown {
  if (Array.isArray(value) && value.some(isObject)) return shownList(value, key, name, shown)
  if (shown.has(key)) return value
  return isObject(value) ? shownObject(value, key, shown) : undefined
}

function shownObject(value: object, key: string, shown: ReadonlySet<string>): object | undefined {
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]): [string, unknown] => {
      const inner = keyWithin(key, name)
      return [name, shownPart(member, inner, key === '' ? inner : name, shown)]
    })
    .filter(([, member]) => member !== undefined)
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

function shownList(
  list: readonly unknown[],
  key: string,
  name: string,
  shown: ReadonlySet<string>,
): unknown[] | undefined {
  const items = itemsOf(list, name)
    .sort((one, other) => (one.part < other.part ? -1 : 1))
    .map(({ part, item }) => shownItem(item, key + part, name, shown))
    .filter((item) => item !== undefined)
  return items.length === 0 ? undefined : items
}

function shownItem(item: unknown, key: string, list: string, shown: ReadonlySet<string>): unknown {
  if (!isObject(item)) return shownPart(item, key, list, shown)
  const { name, value } = item as { name?: unknown; value?: unknown }
  if (list === 'secrets') return shown.has(key) ? { name } : undefined
  const inside = shownObject(item, key, shown)
  if (list !== 'env') return shown.has(key) ? item : inside
  if (shown.has(key)) return { name, value: value ?? '', ...inside }
  return inside && { name, ...inside }
}

/** A field's name with all that it is in: "Sidecar proxy, Image". */
export const fieldLabel = ({ labels }: Pick<ComparedField, 'labels'>): string => labels.join(', ')

/** A field's value in one line. Of a secret, that it is there. */
function valueText({ member }: Pick<ComparedField, 'member'>, value: unknown): string {
  if (value === null) return 'not set'
  if (member.path === 'secrets') return 'set; values are not compared'
  if (value === hiddenValue) return 'hidden'
  return typeof value === 'string' && value !== '' && !/[\n\r]/.test(value) ? value : JSON.stringify(value)
}

/** How the sides of a comparison are called. */
export interface SideNames {
  left: string
  right: string
}

/** Compared fields as text, to be pasted into a ticket: what the sides are, then the fields by their groups. */
export function comparisonText(fields: readonly ComparedField[], names: SideNames): string {
  const lines = [`Left: ${names.left}`, `Right: ${names.right}`]
  if (fields.length === 0) lines.push('', 'No differences.')
  fields.forEach((field, index) => {
    const { group } = field.member
    if (group !== fields[index - 1]?.member.group) lines.push('', groupLabels[group])
    lines.push(`  ${fieldLabel(field)}: ${outcomeLabels[field.outcome].toLowerCase()}`, ...valueLines(field))
  })
  return `${lines.join('\n')}\n`
}

function valueLines(field: ComparedField): string[] {
  const { left, right, outcome } = field
  if (outcome === 'same') return [`    ${valueText(field, left)}`]
  return [`    Left: ${valueText(field, left)}`, `    Right: ${valueText(field, right)}`]
}
