import { X509Certificate } from 'node:crypto'

import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { certificateSchema } from '@contract/core/network'
import type { Target } from './fuzzing'

/*
 * Everything that accepts bytes from outside, with its promises for any of them. All promise not to throw and not to
 * take long.
 */

const pem = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')
const derOf = (text: string): Buffer => new X509Certificate(text).raw
const authority = pem('authority.pem')
const service = pem('service.pem')
/** A time at which both are valid. */
const now = new Date('2030-01-01T00:00:00Z')

const unseen = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u

function promise(holds: boolean, words: string): asserts holds {
  if (!holds) throw new Error(words)
}

const deployment = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'agent',
  source: 'external_docker',
  source_config: {
    integration_id: null,
    repo_url: 'https://git.example.com/team/app',
    build_on_push: true,
    resource_spec: { cpu: 1, min_scale: 1, env: [{ name: 'A', value: 'b' }], labels: { a: 'b' } },
    listener_config: { k8s_namespace: 'x' },
  },
  source_revision_config: { repo_ref: 'main', image_uri: 'registry.example/app:1' },
  secrets: [{ name: 'KEY', value: 'hidden' }],
  secret_references: [{ name: 'REF', secret_name: 'a', secret_key: 'b' }],
  status: 'READY',
  created_at: '2026-11-01T00:00:00Z',
  applied: '{"secrets":[{"name":"A","value":"hidden"}]}',
}
const jsonWords = [
  '"secrets":',
  '"value":"x"',
  '{}',
  '[]',
  'null',
  '1e999',
  '-0',
  '"__proto__":',
  '\\u0000',
  '\\ud800',
  ',',
]
const page = JSON.stringify({ resources: [deployment, { id: 1 }, null], offset: 3 })
const request = {
  name: 'agent',
  source: 'repohost',
  source_config: { repo_url: 'https://git.example.com/team/app', resource_spec: { cpu: 0.5 } },
  source_revision_config: { repo_ref: 'main' },
  secrets: [{ name: 'KEY', value: '••••••••' }],
}

const certificates: Target[] = [
  {
    name: 'a certificate that a service shows',
    seeds: [derOf(service), derOf(authority)],
    async load() {
      const { checkChain } = await import('../../../electron/main/http/certificates')
      const { describe } = await import('../../../electron/main/http/certificates')
      const top = new X509Certificate(authority)
      const host = 'deploy.example.com'
      promise(
        checkChain({ leaf: new X509Certificate(service), others: [], host }, [top], now) === null,
        'none',
      )
      return (bytes) => {
        let leaf: X509Certificate
        try {
          leaf = new X509Certificate(bytes)
        } catch {
          return
        }
        certificateSchema.parse(describe(leaf))
        const fault = checkChain({ leaf, others: [leaf, leaf], host }, [top], now)
        promise(fault !== null || leaf.verify(top.publicKey), 'What nobody signed is accepted.')
        // The signature doesn't sign its own bytes. No other byte may change.
        const signed = (one: X509Certificate): string =>
          JSON.stringify(one.toLegacyObject(), ['subject', 'subjectaltname', 'valid_to'])
        promise(
          fault !== null || signed(leaf) === signed(new X509Certificate(service)),
          'Another is accepted.',
        )
      }
    },
  },
  {
    name: 'the certificate of an authority',
    seeds: [authority, `before\n${authority}\nafter`, service, '-----BEGIN CERTIFICATE-----'.repeat(9)],
    words: [
      '-----BEGIN CERTIFICATE-----',
      '-----END CERTIFICATE-----',
      '-----BEGIN PRIVATE KEY-----',
      'MII',
      '\n',
    ],
    async load() {
      const { readAuthorities } = await import('../../../electron/main/http/certificates')
      return (bytes) => {
        const read = readAuthorities(bytes, now)
        if (read.ok) {
          for (const certificate of read.certificates) certificateSchema.parse(certificate)
          promise(
            read.x509.every(({ ca }) => ca),
            'It is no authority.',
          )
        } else promise(read.problem !== '', 'It does not say what is wrong.')
      }
    },
  },
]

const answers: Target[] = [
  {
    name: 'an answer',
    seeds: [page, JSON.stringify(deployment), '[{"id":1,"name":"repo","url":"https://git.example.com"}]'],
    words: jsonWords,
    async load() {
      const { parseAnswer } = await import('@contract/deployment-api/reading')
      const { readDetail, readPage, readRepositories, withoutSecretValues } = await import('@contract')
      const { readFound, readNamed } = await import('../../../electron/main/processes/answers/lookup')
      return (bytes) => {
        const answer = parseAnswer(bytes)
        if (!answer.ok) return
        readPage(answer.value, 20)
        readNamed(answer.value, 20, 'agent')
        readFound(answer.value, 20, deployment.id)
        readRepositories(answer.value)
        const detail = readDetail(answer.value)
        if (detail.ok) JSON.parse(detail.value.json)
        const harmless = withoutSecretValues(answer.value)
        promise(isDeepStrictEqual(withoutSecretValues(harmless), harmless), 'Values of secrets are left.')
      }
    },
  },
  {
    name: 'a page that is cached',
    seeds: [page],
    words: jsonWords,
    async load() {
      const { readPageBody } = await import('../../../electron/cache/store/content')
      return (bytes) => {
        const read = readPageBody(bytes)
        for (const { json, summary } of read?.contents ?? []) {
          promise(!/"secrets":\[\{"name":"KEY","value":"hidden"/.test(json), 'A value of a secret is cached.')
          promise(
            summary.every((value) => value === null || typeof value === 'string'),
            'It cannot be stored.',
          )
        }
      }
    },
  },
  {
    name: 'the words of a failure',
    seeds: [
      'plain words',
      '{"detail":"words","message":"others"}',
      '{"detail":[{"loc":["body","name",0],"msg":"wrong","input":"hidden"}]}',
      '{"error":{"message":"inside"}}',
      '<!doctype html><title>Sign in</title>',
    ],
    words: [...jsonWords, '"detail":', '"loc":', '"msg":', '\u202e', '\u2028', 'the-key-value', '<html'],
    async load() {
      const { readErrorBody } = await import('../../../electron/main/http/error-body')
      return (bytes) => {
        const text = bytes.toString('utf8')
        for (const type of ['application/json', 'text/plain', null]) {
          const { text: words, issues } = readErrorBody(text, type, ['the-key-value'])
          for (const said of [words ?? '', ...issues.map(({ message }) => message)]) {
            promise(!said.includes('the-key-value'), 'A secret is repeated.')
            promise([...said].length <= 2_000 && !unseen.test(said.replace(/[\n\t]/g, '')), 'It does harm.')
          }
        }
      }
    },
  },
  {
    name: 'the header Retry-After',
    seeds: ['120', 'Wed, 21 Oct 2026 07:28:00 GMT', 'Wednesday, 21-Oct-26 07:28:00 GMT', ''],
    words: ['GMT', 'Mon, ', '99999999', ':', '-1', '+275760'],
    async load() {
      const { readRetryAfter } = await import('../../../electron/main/http/failures')
      return (bytes) => {
        const seconds = readRetryAfter({ retryAfter: bytes.toString('latin1') }, now.getTime())
        promise(seconds === null || (Number.isSafeInteger(seconds) && seconds >= 0), `It waits ${seconds} s.`)
      }
    },
  },
]

const entered: Target[] = [
  {
    name: 'a base URL',
    seeds: [
      'https://deploy.example.com/v2/deployments/',
      ' http://[::1]:8080/a/b/v1 ',
      'ftp://x',
      'https://u:p@x/?q#f',
    ],
    words: ['https://', '/v2', '/deployments', '%2e', '@', '..', '[::1]', 'xn--', '\u00e9', '\t'],
    async load() {
      const { normalizeBaseUrl } = await import('@contract/core/url')
      return (bytes) => {
        const mended = normalizeBaseUrl(bytes.toString('utf8'))
        if (!mended.ok) return
        const again = normalizeBaseUrl(mended.url)
        promise(again.ok && again.url === mended.url, `Mended again it is another: ${mended.url}`)
        const { protocol, username, search, hash } = new URL(`${mended.url}/v2/deployments`)
        promise(/^https?:$/.test(protocol) && username + search + hash === '', 'It leads elsewhere.')
      }
    },
  },
  {
    name: 'a text that somebody else chose',
    seeds: ['agent', 'invoice\u202egpj.exe\u001b[31m', '{"a":"\u2028"}'],
    words: ['\u202e', '\u2066', '\u0000', '\u{e0001}', '\ud83d\ude00', '\ufeff', '\u200d'],
    async load() {
      const { shownJson, shownText } = await import('@contract/core/text')
      return (bytes) => {
        const text = bytes.toString('utf8')
        promise(!unseen.test(shownText(text)), 'It does harm.')
        promise(!unseen.test(shownText(text, { max: Infinity })), 'Copied, it does harm.')
        const json = JSON.stringify({ text })
        promise(isDeepStrictEqual(JSON.parse(shownJson(json, Infinity)), { text }), 'It is another JSON.')
      }
    },
  },
]

const imported: Target[] = [
  {
    name: 'an environment file',
    seeds: ['A=1\nexport B="x\\ny"\n# no\nC=\'z\'', 'A="', "A='\n'"],
    words: ['export ', '="', "='", '\\n', '\r\n', '#', '$', '`'],
    async load() {
      const { readEnvText } = await import('@/features/new-deployment/draft/dotenv')
      return (bytes) => {
        const { secrets } = readEnvText(bytes.toString('utf8'))
        promise(
          secrets.every(({ name, value }) => typeof name === 'string' && typeof value === 'string'),
          'It is no list of secrets.',
        )
      }
    },
  },
  {
    name: 'a request in JSON or YAML',
    seeds: [
      JSON.stringify(request),
      'name: agent\nsource: repohost\nsource_config:\n  build_on_push: true # why\nsecrets: []\n',
      'a: &a [1]\nb: *a\n? x\n: !!binary aGk=\n',
    ],
    words: [
      ...jsonWords,
      '- ',
      ': ',
      '&a ',
      '*a',
      '!!',
      '<<: ',
      '|\n ',
      '? ',
      '---\n',
      '%YAML 1.2\n',
      '2026-01-01',
    ],
    async load() {
      const { readRequest } = await import('@/features/new-deployment/request-text/read-request')
      const { readFreeText } = await import('@/features/new-deployment/draft/free-form')
      const { emptyDraft } = await import('@/features/new-deployment/draft/draft')
      const known = { before: emptyDraft('cloud').entered, remembered: new Map<string, string>() }
      return (bytes) => {
        const text = bytes.toString('utf8')
        for (const language of ['json', 'yaml'] as const) {
          const read = readRequest(text, language, known)
          if (read.ok) JSON.stringify(read.request)
          else promise(read.problems.length > 0, 'It does not say what is wrong.')
        }
        const free = readFreeText(text, [])
        if (free.ok) JSON.stringify(free.value)
      }
    },
  },
  {
    name: 'a request that is imported from a file',
    seeds: [JSON.stringify(request), JSON.stringify(deployment), 'name: agent\nsource: repohost\n'],
    words: [...jsonWords, 'source: ', 'secrets:\n  - name: A\n', '&a ', '*a'],
    async load() {
      const { draftFromFile } = await import('@/features/new-deployment/draft/prefill')
      return (bytes) => {
        const read = draftFromFile('request.yaml', bytes.toString('utf8'))
        if (read.ok) JSON.stringify(read.prefilled)
        else promise(read.message !== '', 'It does not say what is wrong.')
      }
    },
  },
]

export const targets: readonly Target[] = [...certificates, ...answers, ...entered, ...imported]
