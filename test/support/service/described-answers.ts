import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** An answer, and the request that it answers. */
interface AnsweredRequest {
  method: string
  path: string
  status: number
  headers: Headers
  /** The answer's body. */
  text: string
}

const checkers = new Map<string, Promise<ReturnType<typeof answerChecker>>>()

/** The check of answers against the document of the service at an origin, which is read once. */
export function checkerOf(url: string): Promise<ReturnType<typeof answerChecker>> {
  const { origin } = new URL(url)
  const checker =
    checkers.get(origin) ??
    fetch(`${origin}/openapi.json`).then(async (answer) =>
      answerChecker((await answer.json()) as OpenApiDocument),
    )
  checkers.set(origin, checker)
  return checker
}

/** Forgets the document of a service that has ended: another one may get its port. */
export const forgetDescription = (url: string): void => void checkers.delete(new URL(url).origin)

interface Described {
  content?: Record<string, { schema: Schema }>
  headers?: Record<string, unknown>
}

interface Operation {
  tags: string[]
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[]
  requestBody?: Described & { required: boolean }
  responses: Record<string, Described>
}

export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  format?: string
}

/** The service's OpenAPI document, in part. */
export interface OpenApiDocument {
  openapi: string
  info: { description: string }
  servers?: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; securitySchemes: unknown }
  security: unknown
}

/** A schema, with its reference resolved. */
export function resolve(schema: Schema | undefined, document: OpenApiDocument): Schema {
  const name = schema?.$ref?.replace('#/components/schemas/', '')
  return name === undefined ? (schema ?? {}) : resolve(document.components.schemas[name], document)
}

/**
 * Reads an OpenAPI document. Gives a function that lists how an answer differs from it: an empty list if it doesn't.
 */
export function answerChecker(description: OpenApiDocument): (answered: AnsweredRequest) => string[] {
  const document = withoutFurtherMembers(description) as OpenApiDocument
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
  addFormats(ajv)
  ajv.addSchema(document, 'document')
  const compiled = new Map<string, ValidateFunction>()
  const paths = Object.entries(document.paths)
    .map(([path, operations]) => ({ path, operations, pattern: patternOf(path) }))
    // A path without parameters takes precedence over one with parameters.
    .sort((one, other) => one.path.split('{').length - other.path.split('{').length)

  function findingsIn(pointer: string[], value: unknown): string[] {
    const reference = `document#/${pointer.map(escaped).join('/')}`
    const validate = compiled.get(reference) ?? ajv.compile({ $ref: reference })
    compiled.set(reference, validate)
    validate(value)
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath || 'the body'} ${message} (${JSON.stringify(params)})`,
    )
  }

  /**
   * What is wrong with an answer that no operation describes. Only errors are allowed, in the form that the document's
   * introduction describes.
   */
  function undescribed({ status, headers, text }: AnsweredRequest, methods: string[] | null): string[] {
    // A page of another origin, or a request without a key, is refused before its path is looked at.
    const statuses = [methods === null ? 404 : 405, 400, 401, 403, 429]
    if (!statuses.includes(status)) return [`no operation has an answer ${status}`]
    if (status === 405 && headers.get('allow') === null) return ['the header allow is missing']
    return findingsIn(['components', 'schemas', 'Error'], JSON.parse(text))
  }

  return (answered) => {
    const { method, path, status, headers, text } = answered
    // A path is the same with a slash at its end.
    const found = paths.find(({ pattern }) => pattern.test(path.replace(/(?<=.)\/$/, '')))
    const lowerMethod = method.toLowerCase()
    // HTTP has HEAD wherever it has GET (RFC 9110, 9.3.2).
    const verb = lowerMethod === 'head' ? 'get' : lowerMethod
    const operation = found?.operations[verb]
    if (found === undefined || operation === undefined) {
      return undescribed(answered, found === undefined ? null : Object.keys(found.operations))
    }
    const response = operation.responses[status]
    if (response === undefined) return [`${verb} ${found.path} has no answer ${status}`]
    const missing = Object.keys(response.headers ?? {})
      .filter((name) => headers.get(name) === null)
      .map((name) => `the header ${name} is missing`)
    if (lowerMethod === 'head') return missing
    if (response.content === undefined) return text === '' ? missing : [...missing, 'there is a body']
    const type = headers.get('content-type')?.split(';')[0] ?? 'none'
    if (!Object.hasOwn(response.content, type))
      return [...missing, `the content type ${type} isn't described`]
    if (type !== 'application/json') return missing
    const pointer = ['paths', found.path, verb, 'responses', String(status), 'content', type, 'schema']
    return [...missing, ...findingsIn(pointer, JSON.parse(text))]
  }
}

function patternOf(path: string): RegExp {
  const literal = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replace(/\{\w+\}/g, '[^/]+')}$`)
}

function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
}

/** A document whose objects allow only the members that it names, so that any other member of an answer is reported. */
function withoutFurtherMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFurtherMembers)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withoutFurtherMembers(part)]),
  )
  const isClosed = 'properties' in value && 'type' in value && !('additionalProperties' in value)
  return isClosed ? { ...copy, additionalProperties: false } : copy
}
