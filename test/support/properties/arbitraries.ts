import { type CreateRequest, createRequestSchema, orderedPairs } from '@contract'
import { trimBlanks } from '@contract/core/text'
import fc from 'fast-check'
import type { z } from 'zod'

/**
 * Every value that a schema of the contract accepts. It is derived from the schema, so new members are covered at
 * once. Rules over several members (`superRefine`) are ignored: see `createRequests`.
 *
 * @param known values for members of these names, wherever they are, in place of the schemas' values
 */
export function valuesOf(schema: z.core.$ZodType, known: KnownMembers = {}): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') return objectsOf(def.shape, known)
  // `objectsOf` leaves optional members out, because JSON has no undefined.
  if (def.type === 'optional' || def.type === 'default') return valuesOf(def.innerType, known)
  if (def.type === 'nullable') return fc.option(valuesOf(def.innerType, known), { nil: null })
  if (def.type === 'array') return fc.array(valuesOf(def.element, known), { maxLength: 2 })
  if (def.type === 'union') return fc.oneof(...def.options.map((option) => valuesOf(option, known)))
  if (def.type === 'literal') return fc.constantFrom(...def.values)
  if (def.type === 'null') return fc.constant(null)
  if (def.type === 'record') {
    return fc.dictionary(shortTexts, valuesOf(def.valueType, known), { maxKeys: 2 }).map(ordinary)
  }
  if (def.type === 'string') return stringsOf(schema as z.core.$ZodString)
  if (def.type === 'number') return numbersOf(schema as z.core.$ZodNumber)
  if (def.type === 'boolean') return fc.boolean()
  if (def.type === 'enum') return fc.constantFrom(...Object.values(def.entries))
  if (def.type === 'unknown') return anyJson
  // A preprocessed value may already have the form that preprocessing gives it.
  if (def.type === 'pipe') return valuesOf(def.out, known)
  throw new Error(`No values are known for schemas of type "${def.type}".`)
}

/** Values for members of objects, by name. */
export type KnownMembers = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** Texts that JSON and YAML must quote or escape, and texts that look like other values. */
const shortTexts = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom(
    '',
    ' ',
    'null',
    'true',
    '1e3',
    '- a',
    'a: b',
    '#',
    '"',
    "it's",
    'a\nb\n',
    '\t',
    'é😀',
    '\u2028',
    '=',
    '~',
  ),
)

/** JSON values of few levels. */
const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: shortTexts },
  fc.constantFrom(null, true, false, 0, -1.5, 1e21, [], {}, ['a', null], { 'a b': { c: [1, { d: '' }] } }),
)

function objectsOf(shape: z.core.$ZodShape, known: KnownMembers): fc.Arbitrary<unknown> {
  const members = Object.entries(shape)
  const requiredKeys = members.flatMap(([name, schema]) => (schema._zod.optin === 'optional' ? [] : [name]))
  return fc.record(
    Object.fromEntries(members.map(([name, schema]) => [name, known[name] ?? valuesOf(schema, known)])),
    {
      requiredKeys,
      noNullPrototype: true,
    },
  )
}

function stringsOf(schema: z.core.$ZodString): fc.Arbitrary<string> {
  const { minimum, format } = schema._zod.bag
  if (format === 'guid') return fc.uuid()
  return shortTexts.filter((text) => text.length >= (minimum ?? 0))
}

function numbersOf(schema: z.core.$ZodNumber): fc.Arbitrary<number> {
  const { minimum = -Infinity, format } = schema._zod.bag
  return format === 'safeint'
    ? fc.nat({ max: Number.MAX_SAFE_INTEGER })
    : fc.double({ min: minimum, noNaN: true, noDefaultInfinity: true }).map((number) => number + 0)
}

/** zod leaves this name out of what it reads, to protect prototypes. */
const ordinary = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== '__proto__'))

/** Every creation request that the contract accepts: all sources, with and without each optional member. */
export const createRequests: fc.Arbitrary<CreateRequest> = valuesOf(createRequestSchema)
  .map((value) => {
    const request = value as CreateRequest
    const spec = request.source_config.resource_spec
    for (const [low, high] of spec ? orderedPairs : []) {
      const [lower, upper] = [spec?.[low], spec?.[high]]
      if (spec && typeof lower === 'number' && typeof upper === 'number' && lower > upper) {
        spec[low] = upper
        spec[high] = lower
      }
    }
    return request
  })
  .filter((request) => createRequestSchema.safeParse(request).success)
  // Names of blanks only would be empty without them.
  .filter(({ name, secrets, secret_references }) =>
    [
      name,
      ...secrets.map((secret) => secret.name),
      ...(secret_references ?? []).flatMap(Object.values),
    ].every((text) => trimBlanks(text as string) !== ''),
  )
