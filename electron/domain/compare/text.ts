import { isKnownSource, sourceLabels } from '@contract/core/labels'
import { hiddenValue } from '@contract/deployment-api/reading/secret-values'
import type { ComparedField, Outcome } from './compare'
import { isObject, itemsOf, keyWithin } from './items'
import { groupLabels } from './members'
import type { Side } from './side'

/** How a field compares, in words, in the order in which outcomes are counted. */
export const outcomeLabels: Readonly<Record<Outcome, string>> = {
  differs: 'Differs',
  'only-left': 'Only left',
  'only-right': 'Only right',
  'not-reported': 'Not reported',
  same: 'Same',
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

/** A field's full name: "Sidecar proxy, Image". */
export const fieldLabel = ({ labels }: Pick<ComparedField, 'labels'>): string => labels.join(', ')

/** How many characters of a long value precede the difference. */
const before = 40

/** A value longer than this is written from where it differs. */
const longest = 300

/**
 * The values of a field as text that tells them apart: a text that reads like another kind of value is in quotes, a
 * long one begins where it differs. Of a secret, that it is there.
 */
export function valueTexts(field: ComparedField): Record<'left' | 'right', string> {
  const left = valueText(field, field.left)
  const right = valueText(field, field.right)
  if (field.outcome !== 'differs') return { left, right }
  if (left === right) return { left: JSON.stringify(field.left), right: JSON.stringify(field.right) }
  if (left.length <= longest && right.length <= longest) return { left, right }
  const from = firstDifference(left, right) - before
  return { left: textFrom(left, from), right: textFrom(right, from) }
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}

const textFrom = (text: string, from: number): string => (from > 0 ? `…${text.slice(from)}` : text)

function valueText({ member }: ComparedField, value: unknown): string {
  if (value === null) return 'not set'
  if (member.path === 'secrets') return 'set'
  if (value === hiddenValue) return 'hidden'
  if (member.path === 'source' && typeof value === 'string' && isKnownSource(value))
    return sourceLabels[value]
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
}

/** How the sides of a comparison are called. */
export interface SideNames {
  left: string
  right: string
}

/**
 * Compared fields as text, to be pasted into a ticket: what the sides are, then the fields by their groups. Line breaks
 * in names, labels and values are escaped.
 */
export function comparisonText(fields: readonly ComparedField[], names: SideNames): string {
  const lines = [`Left: ${oneLine(names.left)}`, `Right: ${oneLine(names.right)}`]
  if (fields.length === 0) lines.push('', 'No differences.')
  fields.forEach((field, index) => {
    const { group } = field.member
    if (group !== fields[index - 1]?.member.group) lines.push('', groupLabels[group])
    lines.push(
      `  ${oneLine(fieldLabel(field))}: ${outcomeLabels[field.outcome].toLowerCase()}`,
      ...valueLines(field),
    )
  })
  return `${lines.join('\n')}\n`
}

function valueLines(field: ComparedField): string[] {
  const { left, right } = valueTexts(field)
  return field.outcome === 'same'
    ? [`    ${oneLine(left)}`]
    : [`    Left: ${oneLine(left)}`, `    Right: ${oneLine(right)}`]
}

/** What ends a line, or is shown as if it did. */
const lineEnds = /[\n\r\v\f\u0085\u2028\u2029]/

/** A text as it is, or in quotes with its line breaks escaped. */
const oneLine = (text: string): string =>
  lineEnds.test(text)
    ? JSON.stringify(text).replace(
        /[\u0085\u2028\u2029]/g,
        (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    : text
