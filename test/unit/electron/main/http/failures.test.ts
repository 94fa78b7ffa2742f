import { describe, expect, it } from 'vitest'
import type { ExchangeEnd } from '../../../../../electron/main/http/client'
import { failureAfter, readRetryAfter } from '../../../../../electron/main/http/failures'

const answer = (
  status: number,
  body: unknown,
  more: { contentType?: string | null; retryAfter?: string } = {},
) =>
  ({
    kind: 'answer',
    status,
    contentType: more.contentType === undefined ? 'application/json' : more.contentType,
    retryAfter: more.retryAfter ?? null,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  }) satisfies ExchangeEnd

const failureOf = (end: ExchangeEnd, secrets: string[] = []) => failureAfter(end, secrets, 'e')

describe('the failure of an answer', () => {
  it.each([
    [400, 'bad-request', false],
    [401, 'unauthorised', false],
    [403, 'forbidden', false],
    [404, 'not-found-at-service', false],
    [405, 'unexpected-status', false],
    [407, 'proxy', true],
    [409, 'conflict', false],
    [411, 'bad-request', true],
    [413, 'bad-request', false],
    [418, 'unexpected-status', false],
    [422, 'bad-request', false],
    [429, 'rate-limited', true],
    [500, 'service-error', true],
    [502, 'service-error', true],
    [503, 'service-error', true],
    [504, 'service-error', true],
  ])('with status %i is %s', (status, code, retryable) => {
    const found = failureOf(answer(status, { detail: 'the words' }))
    expect(found).toMatchObject({ code, status, retryable, serviceWords: 'the words' })
    expect(found.message).toContain(String(status))
    expect(found.advice).not.toBeNull()
  })

  it.each<[string, string | null]>([
    ['plain text', 'plain text'],
    ['[error] no such tenant', '[error] no such tenant'],
    ["{'detail': 'a dictionary of Python'}", "{'detail': 'a dictionary of Python'}"],
    ['"a text alone"', 'a text alone'],
    ['{"detail":"as text"}', 'as text'],
    ['{"message":"a message"}', 'a message'],
    ['{"Message":"a message","__type":"ValidationException"}', 'a message'],
    ['{"error":"an error"}', 'an error'],
    ['{"error":{"message":"inside"}}', 'inside'],
    ['{"error":{"code":401,"reason":"m"}}', 'm'],
    ['{"detail":{"code":"c","msg":"m"}}', 'm'],
    ['{"title":"m","status":403}', 'm'],
    ['{"type":"about:blank","title":"Forbidden","status":403,"detail":"m"}', 'm'],
    ['{"errors":[{"message":"m","field":"name"}]}', 'name: m'],
    [
      '{"errors":[{"message":"m","path":["createDeployment"],"extensions":{"code":"X"}}]}',
      'createDeployment: m',
    ],
    [
      '{"errors":[{"status":"422","source":{"pointer":"/source_config/repo_url"},"detail":"m"}]}',
      'source_config.repo_url: m',
    ],
    [
      '{"status":400,"error":"Bad Request","message":"m","errors":[{"defaultMessage":"is blank","field":"name","objectName":"request","code":"NotBlank"}],"path":"/v2"}',
      'm\nname: is blank',
    ],
    ['{"errors":["one","two"]}', 'one\ntwo'],
    ['["one","two"]', 'one\ntwo'],
    ['{"statusCode":400,"error":"Bad Request","message":["one","two"]}', 'one\ntwo'],
    [
      '{"name":["is taken"],"source":["is unknown","is required"]}',
      'name: is taken\nsource: is unknown\nsource: is required',
    ],
    [
      '{"title":"One or more errors occurred.","errors":{"name":["is taken"]}}',
      'One or more errors occurred.\nname: is taken',
    ],
    ['{"errors":{"name":{"message":"is taken","path":"name"}}}', 'name: is taken'],
    [
      '{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT","details":[{"@type":"x","fieldViolations":[{"field":"name","description":"is taken"}]}]}}',
      'm\nname: is taken',
    ],
    [
      '{"kind":"Status","message":"m","reason":"Invalid","details":{"name":"x","causes":[{"field":"spec.name","message":"is taken"}]}}',
      'm\nspec.name: is taken',
    ],
    ['{"fault":{"faultstring":"m","detail":{"errorcode":"c"}}}', 'm'],
    ['{"data":{"result":{"message":"m"}}}', 'm'],
    ['{"error":"invalid_token","error_description":"It has expired."}', 'It has expired.'],
    ['{"message":"","error":"an error"}', 'an error'],
    ['{"code":"quota_exceeded"}', '{"code":"quota_exceeded"}'],
    ['{"error":42}', '{"error":42}'],
    ['{"other":"member"}', 'other: member'],
    [
      '<html><head><title>403 Forbidden</title><style>p{}</style></head><body><center><h1>403 Forbidden</h1></center><p>No &amp; never</p></body></html>',
      '403 Forbidden\nNo & never',
    ],
    ['<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>m</Message></Error>', 'AccessDenied\nm'],
    ['{"detail":"half an ans', null],
    ['{"x":"half', null],
    ['', null],
    ['null', null],
    ['{}', null],
    ['[]', null],
  ])('has the words of %s', (body, words) => {
    for (const contentType of ['application/json', 'text/plain', null]) {
      const found = failureOf(answer(400, body, { contentType }))
      expect(found.serviceWords).toBe(words)
      // Advice never points at words that aren't there.
      expect(found.advice?.includes('problem below')).toBe(words !== null)
    }
  })

  it('has issues that name the members of the request, in whatever form they come', () => {
    const issues = (body: unknown): unknown => failureOf(answer(400, body)).issues
    const expected = [{ path: ['source_config', 'volumes', 0, 'name'], message: 'm' }]
    for (const place of [
      { loc: ['body', 'source_config', 'volumes', 0, 'name'] },
      { field: 'source_config.volumes[0].name' },
      { source: { pointer: '/source_config/volumes/0/name' } },
      { instancePath: '/source_config/volumes/0/name' },
      { path: '$.source_config.volumes[0].name' },
    ]) {
      expect(issues({ errors: [{ ...place, message: 'm' }] })).toEqual(expected)
      expect(issues({ message: '', details: [{ ...place, reason: 'm' }] })).toEqual(expected)
    }
  })

  it('lists the issues of a detail list, and never reads values that it repeats from the request', () => {
    const detail = [
      { loc: ['body', 'source_config', 'repo_url'], msg: 'is required', type: 'missing', input: 'hunter2' },
      { loc: ['query', 'limit'], msg: 'too large' },
      { loc: ['body', 'secrets', 0, 'name'], msg: 'too short' },
      'only words',
      { unknown: true },
    ]
    const found = failureOf(answer(422, { detail }))
    expect(found.issues).toEqual([
      { path: ['source_config', 'repo_url'], message: 'is required' },
      { path: ['query', 'limit'], message: 'too large' },
      { path: ['secrets', 0, 'name'], message: 'too short' },
      { path: [], message: 'only words' },
    ])
    expect(found.serviceWords).toContain('source_config.repo_url: is required')
    expect(JSON.stringify(found)).not.toContain('hunter2')
  })

  it('has no secret that hides behind invisible characters or inside a longer one', () => {
    const sent = ['sk-live', 'sk-live-4711-0815']
    const { serviceWords } = failureOf(
      answer(400, { detail: 'sk-\u200blive-4711\u00ad-0815 is unknown, sk-live too' }),
      sent,
    )
    expect(serviceWords).toBe('••• is unknown, ••• too')
  })

  it('is not broken up by short values that were sent', () => {
    const sent = ['prod', 'source', 'name']
    const detail = [
      {
        loc: ['body', 'source_config', 'repo_url'],
        msg: 'production has no such name; prod, prod_2: "source"',
      },
      { loc: ['body', 'resource', 'prod'], msg: 'renamed' },
    ]
    const found = failureOf(answer(422, { detail }), sent)
    expect(found.issues).toEqual([
      { path: ['source_config', 'repo_url'], message: 'production has no such •••; •••, prod_2: "•••"' },
      { path: ['resource', '•••'], message: 'renamed' },
    ])
  })

  it('keeps messages about members for secrets', () => {
    const wordsOf = (detail: unknown) => failureOf(answer(422, { detail })).serviceWords
    expect(wordsOf('secrets: Field required')).toBe('secrets: Field required')
    expect(wordsOf('Invalid body, secrets: expected a list')).toBe('Invalid body, secrets: expected a list')
    expect(wordsOf([{ loc: ['body'], msg: 'secrets: Field required' }])).toBe('secrets: Field required')
  })

  it('says that the answer is a web page, and shows its title', () => {
    const page = '<!DOCTYPE html><title>Sign in</title>'
    for (const [status, contentType] of [
      [200, 'text/html'],
      [200, 'application/json'],
      [403, 'text/html; charset=utf-8'],
      [502, 'text/plain'],
    ] as const) {
      const found = failureOf(answer(status, page, { contentType }))
      expect(found.serviceWords).toBe(status === 200 ? null : 'Sign in')
      expect(found.advice).toContain('web page instead of JSON')
    }
  })

  it('names the missing header if the service requires a workspace', () => {
    const end = answer(403, { detail: 'This operation requires workspace specification.' })
    expect(failureOf(end).advice).toContain('X-Tenant-Id')
  })

  it('shows text without control, bidirectional and zero-width characters, at most 2,000 characters', () => {
    const end = answer(400, { detail: `a\u0000b\u202Ec\u200Bd\u001B[31me\r\n\tf${'x'.repeat(5000)}` })
    const { serviceWords } = failureOf(end)
    expect(serviceWords).toMatch(/^abcd\[31me\nfx+…$/)
    expect(serviceWords).toHaveLength(2000)
  })
})

describe('the member sent of a failure', () => {
  const sent = (end: ExchangeEnd) => {
    const { sent, status } = failureOf(end)
    return { sent, status }
  }

  it('is "answered" as soon as the headers of an answer arrived, whatever happened then', () => {
    const ends: ExchangeEnd[] = [
      { kind: 'time-limit', limitMs: 15_000, status: 201, begun: true },
      { kind: 'network', error: 'ERR_CONNECTION_RESET', status: 201 },
      // Chromium's error if the body breaks off, and an error that would otherwise come before sending.
      { kind: 'network', error: 'ERR_CONNECTION_REFUSED', status: 201 },
      { kind: 'too-large', status: 201, limitBytes: 1024 },
      { kind: 'redirect', status: 201, to: null },
      answer(201, ''),
      answer(201, '<html>'),
    ]
    for (const end of ends) {
      expect(sent(end), JSON.stringify(end).slice(0, 200)).toEqual({ sent: 'answered', status: 201 })
    }
    for (const status of [100, 304, 400, 401, 407, 409, 500, 502, 599]) {
      expect(sent(answer(status, ''))).toEqual({ sent: 'answered', status })
    }
  })

  it('is "maybe" if nothing shows it', () => {
    expect(sent({ kind: 'time-limit', limitMs: 15_000, status: null, begun: true })).toEqual({
      sent: 'maybe',
      status: null,
    })
    expect(sent({ kind: 'network', error: null, status: null })).toEqual({ sent: 'maybe', status: null })
    expect(sent({ kind: 'cancelled', begun: true })).toEqual({ sent: 'maybe', status: null })
  })

  it.each([
    // TLS that breaks, or requests something, after the request.
    'ERR_SSL_PROTOCOL_ERROR',
    'ERR_SSL_BAD_RECORD_MAC_ALERT',
    'ERR_SSL_DECRYPT_ERROR_ALERT',
    'ERR_SSL_CLIENT_AUTH_CERT_NEEDED',
    'ERR_BAD_SSL_CLIENT_AUTH_CERT',
    'ERR_SSL_SERVER_CERT_CHANGED',
    'ERR_SSL_VERSION_OR_CIPHER_MISMATCH',
    'ERR_SSL_UNRECOGNIZED_NAME_ALERT',
    'ERR_CERT_ERROR_IN_SSL_RENEGOTIATION',
    'ERR_CERT_DATABASE_CHANGED',
    'ERR_CERT_SOMETHING_NEW',
    // Errors of a socket in use.
    'ERR_INTERNET_DISCONNECTED',
    'ERR_ADDRESS_UNREACHABLE',
    'ERR_NETWORK_CHANGED',
    'ERR_NETWORK_IO_SUSPENDED',
    'ERR_SOCKET_NOT_CONNECTED',
    'ERR_CONNECTION_RESET',
    'ERR_CONNECTION_ABORTED',
    'ERR_CONNECTION_CLOSED',
    'ERR_CONNECTION_TIMED_OUT',
    'ERR_TIMED_OUT',
    'ERR_EMPTY_RESPONSE',
    'ERR_HTTP2_PROTOCOL_ERROR',
    'ERR_HTTP2_PING_FAILED',
    'ERR_UNEXPECTED_PROXY_AUTH',
    'ERR_FAILED',
    'ERR_ABORTED',
    'ERR_INVALID_URL',
    'ERR_SOMETHING_NEW',
  ])('is "maybe" after %s', (error) => {
    expect(sent({ kind: 'network', error, status: null })).toEqual({ sent: 'maybe', status: null })
  })

  it.each([
    'ERR_NAME_NOT_RESOLVED',
    'ERR_DNS_TIMED_OUT',
    'ERR_CONNECTION_REFUSED',
    'ERR_PROXY_CONNECTION_FAILED',
    'ERR_TUNNEL_CONNECTION_FAILED',
    'ERR_PROXY_AUTH_REQUESTED',
    'ERR_PAC_SCRIPT_FAILED',
    'ERR_UNSAFE_PORT',
    'ERR_CERT_AUTHORITY_INVALID',
  ])('is "no" after %s, which comes before the request is written', (error) => {
    expect(sent({ kind: 'network', error, status: null })).toEqual({ sent: 'no', status: null })
  })

  it.each(['ERR_CONNECTION_REFUSED', 'ERR_NAME_NOT_RESOLVED', 'ERR_CERT_AUTHORITY_INVALID'])(
    'is "maybe" after %s if the request had a connection before',
    (error) => {
      const end = { kind: 'network', error, status: null } as const
      expect(sent({ ...end, mayHaveLeft: true })).toEqual({ sent: 'maybe', status: null })
      expect(sent({ ...end, mayHaveLeft: false })).toEqual({ sent: 'no', status: null })
    },
  )

  it('is "no" for a client certificate that was required before the body was read, and only then', () => {
    const end = { kind: 'network', error: 'ERR_SSL_CLIENT_AUTH_CERT_NEEDED', status: null } as const
    expect(sent(end).sent).toBe('maybe')
    expect(sent({ ...end, mayHaveLeft: true }).sent).toBe('maybe')
    expect(sent({ ...end, mayHaveLeft: false }).sent).toBe('no')
    expect(sent({ ...end, error: 'ERR_CONNECTION_RESET', mayHaveLeft: false }).sent).toBe('maybe')
  })

  it('is "no" if the request was cancelled before it left', () => {
    expect(sent({ kind: 'cancelled', begun: false })).toEqual({ sent: 'no', status: null })
    const late = { kind: 'time-limit', limitMs: 15_000, status: null, begun: false } as const
    expect(sent(late)).toEqual({ sent: 'no', status: null })
  })

  it.each(['no-session', 'proxy-sign-in'] as const)(
    'is "no" if Slipway did not send the request (%s), with advice on what to do',
    (why) => {
      expect(sent({ kind: 'not-sent', why })).toEqual({ sent: 'no', status: null })
      expect(failureOf({ kind: 'not-sent', why }).advice).not.toBeNull()
    },
  )

  it('is "no" for a certificate that was refused to this request, with a message; otherwise "maybe"', () => {
    const expected = {
      subject: 'CN=own',
      issuer: 'CN=own',
      names: [],
      validFrom: '2026-01-01T00:00:00Z',
      validTo: '2027-01-01T00:00:00Z',
      fingerprint: 'AA',
      selfSigned: true,
    }
    const refusal = { host: 'h', certificate: expected, reason: null, expected, trustable: true }
    for (const own of [true, false]) {
      const end = { kind: 'certificate', error: 'ERR_FAILED', refusal, own } as unknown as ExchangeEnd
      expect(sent(end)).toEqual({ sent: own ? 'no' : 'maybe', status: null })
      expect(failureOf(end).advice?.includes('Nothing was sent')).toBe(own)
    }
  })
})

describe('a redirect', () => {
  it('names its target without the query', () => {
    const end: ExchangeEnd = { kind: 'redirect', status: 302, to: 'https://login.example.com/in?token=abc#x' }
    const found = failureOf(end)
    expect(found).toMatchObject({ code: 'redirected', status: 302 })
    expect(found.message).toContain('https://login.example.com/in ')
    expect(JSON.stringify(found)).not.toContain('abc')
  })

  it.each([null, 'http://[', 'file:///etc/passwd', 'data:text/html,x'])('to %s is refused as well', (to) => {
    expect(failureOf({ kind: 'redirect', status: 301, to }).code).toBe('redirected')
  })
})

describe('a network error', () => {
  it.each([
    ['ERR_NAME_NOT_RESOLVED', 'offline'],
    ['ERR_INTERNET_DISCONNECTED', 'offline'],
    ['ERR_CONNECTION_REFUSED', 'offline'],
    ['ERR_ADDRESS_UNREACHABLE', 'offline'],
    ['ERR_UNSAFE_PORT', 'offline'],
    ['ERR_CONNECTION_TIMED_OUT', 'timeout'],
    ['ERR_CERT_AUTHORITY_INVALID', 'certificate'],
    ['ERR_CERT_DATE_INVALID', 'certificate'],
    ['ERR_SSL_PROTOCOL_ERROR', 'certificate'],
    ['ERR_SSL_CLIENT_AUTH_CERT_NEEDED', 'certificate'],
    ['ERR_PROXY_CONNECTION_FAILED', 'proxy'],
    ['ERR_TUNNEL_CONNECTION_FAILED', 'proxy'],
    ['ERR_CONNECTION_RESET', 'connection-lost'],
    ['ERR_INCOMPLETE_CHUNKED_ENCODING', 'connection-lost'],
    ['ERR_CONTENT_LENGTH_MISMATCH', 'connection-lost'],
    ['ERR_HTTP2_PROTOCOL_ERROR', 'connection-lost'],
    ['ERR_NETWORK_CHANGED', 'connection-lost'],
    ['ERR_SOMETHING_NEW', 'connection-lost'],
    ['ERR_INVALID_HTTP_RESPONSE', 'unreadable-answer'],
  ])('%s is %s', (error, code) => {
    const found = failureOf({ kind: 'network', error, status: null })
    expect(found).toMatchObject({ code, status: null })
    expect(found.message).toContain(error)
  })
})

describe('Retry-After', () => {
  const machine = Date.parse('2026-11-21T10:00:00Z')

  it.each<[string | null, string | null, number | null]>([
    ['120', null, 120],
    ['1.5', null, 2],
    ['999999999', null, 86_400],
    ['Sat, 21 Nov 2026 10:00:30 GMT', null, 30],
    ['Sat, 21 Nov 2026 09:00:00 GMT', null, 0],
    // The service's clock is an hour ahead, or behind.
    ['Sat, 21 Nov 2026 11:00:02 GMT', 'Sat, 21 Nov 2026 11:00:00 GMT', 2],
    ['Sat, 21 Nov 2026 09:00:02 GMT', 'Sat, 21 Nov 2026 09:00:00 GMT', 2],
    ['Saturday, 21-Nov-26 11:00:02 GMT', 'Sat, 21 Nov 2026 11:00:00 GMT', 2],
    ['2026-11-21T11:00:02Z', 'Sat, 21 Nov 2026 11:00:00 GMT', 2],
    [String(machine / 1000 + 3602), 'Sat, 21 Nov 2026 11:00:00 GMT', 2],
    ['Sat, 21 Nov 2026 10:00:30 GMT', 'unreadable', 30],
    [null, null, null],
    ['', null, null],
    ['-5', null, null],
    ['soon', null, null],
  ])('%s in an answer of %s is %s seconds', (retryAfter, date, seconds) => {
    expect(readRetryAfter({ retryAfter, date }, machine)).toBe(seconds)
  })

  it('is read from 429 and 503', () => {
    for (const status of [429, 503]) {
      const end = answer(status, '', { retryAfter: '90' })
      const failure = failureOf(end)
      expect(failure.retryAfterSeconds).toBe(90)
      // The wait may be hours. It is shown beside the advice.
      expect(failure.advice).not.toContain('a little')
    }
  })
})
