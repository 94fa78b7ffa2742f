import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  meaningOf,
  numberOf,
  problemOfRows,
  rowsOf,
  textOf,
  valueOfRows,
} from '@/features/new-deployment/draft/free-form'
import { readJson, readYaml, writeYaml, writeYamlLike } from '@/features/new-deployment/draft/text'
import { wantedAt } from '@/features/new-deployment/draft/wanted'
import { valueAt } from '@/ui/format/json-path'
import type { TextProblem } from '@/ui/widgets/editor'

/** A problem with its place, as `line:column message`. */
const shown = ({ line, column, message }: TextProblem): string => `${line}:${column} ${message.slice(0, -1)}`

describe('JSON', () => {
  /** The error as the form shows it. */
  function errorOf(text: string): string {
    const read = readJson(text)
    return read.ok ? 'read' : shown(read.problem)
  }

  describe('readJson', () => {
    it('refuses what JSON.parse refuses', () => {
      fc.assert(
        fc.property(
          fc.json(),
          fc.nat(),
          fc.constantFrom('', '"', ',', '}', ']', '\\', '\n', '1', "'"),
          (json, at, sign) => {
            const index = at % (json.length + 1)
            const text = json.slice(0, index) + sign + json.slice(index + 1)
            let parsed = true
            try {
              JSON.parse(text)
            } catch {
              parsed = false
            }
            const read = readJson(text)
            if (read.ok !== parsed) expect(errorOf(text)).toMatch(/appears twice|no such number|more digits/)
          },
        ),
      )
    })

    it('reports the position of an error and what is expected there', () => {
      expect(errorOf('')).toBe('1:1 The text ends too early')
      expect(errorOf('{\n  "cpu": 1,\n}')).toBe('3:1 A member begins with its name in double quotes')
      expect(errorOf('{\n  "cpu": 1\n  "a": 2 }')).toBe('3:3 A comma, } or ] is expected here')
      expect(errorOf('{ "cpu" 1 }')).toBe('1:9 A colon follows the name of a member')
      expect(errorOf('{ "cpu": one }')).toBe("1:10 This isn't a value; texts are in double quotes")
      expect(errorOf('{ "cpu": 1e999 }')).toBe('1:10 JSON has no such number')
      expect(errorOf('{ "cpu": 1, "cpu": 2 }')).toBe('1:13 "cpu" appears twice')
      expect(errorOf('[1, 2')).toBe('1:6 The text ends too early')
      expect(errorOf('["a\nb"]')).toBe('1:2 This text has no closing quote')
      expect(errorOf('["\\x"]')).toBe("1:2 This text has a character or escape that JSON doesn't allow")
      expect(errorOf('{} {}')).toBe('1:4 Nothing may follow the value')
    })

    it('refuses nesting that would exhaust the stack', () => {
      expect(errorOf('['.repeat(100_000))).toMatch(/too deep$/)
    })

    it('keeps a member named __proto__ a member', () => {
      const read = readJson('{ "__proto__": { "polluted": true } }')
      expect(read.ok && Object.keys(read.value as object)).toEqual(['__proto__'])
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    })
  })
})

describe('YAML beside the form', () => {
  const failureOf = (text: string): string => {
    const read = readYaml(text)
    if (read.ok) throw new Error(`was read as ${JSON.stringify(read.value)}`)
    return shown(read.problem)
  }

  describe('YAML', () => {
    it('restores every JSON value, even if an editor wraps its lines', () => {
      const names = fc.oneof(fc.string(), fc.constantFrom('null', '1e3', '- a', 'yes', '<<', '=', '0x1f'))
      const { tree } = fc.letrec((tie) => ({
        tree: fc.oneof(
          { depthSize: 'small' },
          fc.string({ unit: 'binary' }),
          names,
          fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
          fc.boolean(),
          fc.constant(null),
          fc.array(tie('tree'), { maxLength: 3 }),
          fc.dictionary(names, tie('tree'), { maxKeys: 3, noNullPrototype: true }),
        ),
      }))
      fc.assert(
        fc.property(tree, (value) => {
          const read = readYaml(writeYaml(value).replace(/\r\n?/g, '\n'))
          expect(read).toMatchObject({ ok: true })
          expect(read.ok && read.value).toStrictEqual(value)
        }),
      )
    })

    it.each([
      ['0o14', 12],
      ['0x1F', 31],
      ['1e3', 1000],
      ['~', null],
      ['yesterday', 'yesterday'],
      ['2026-01-01', '2026-01-01'],
      ['', null],
      ['# nothing', null],
      ['---\na: 1\n', { a: 1 }],
      ['1: one\ntrue: two', { '1': 'one', true: 'two' }],
      ['%YAML 1.1\n---\non: "yes"', { on: 'yes' }],
    ])('reads %j as YAML 1.2 does', (text, value) => {
      expect(readYaml(text)).toMatchObject({ ok: true, value })
    })

    it.each([
      ['a: 1\nb: 2\na: 3', '3:1 "a" appears twice'],
      ['a: &x 1\nb: 2', "1:7 Anchors (&) aren't supported; write the value out"],
      ['&x a: 1', "1:4 Anchors (&) aren't supported; write the value out"],
      ['a: 1\nb: *x', "2:4 The alias *x isn't supported; write the value out"],
      ['a: !!str 1', "1:10 Tags (!) aren't supported; write a text in quotes"],
      ['a: !!binary eA==', "1:13 Tags (!) aren't supported; write a text in quotes"],
      ['a:\n  - .inf', '2:5 JSON has no such number'],
      ['a: 1\n---\nb: 2', '2:1 A second document begins here; a request is one document'],
      ['a:\n\tb: 1', '2:1 Indent with spaces, not with tabs'],
      ['? [a]\n: 1', '1:3 The name of a member must be a text'],
      ['a: "b', '1:6 Missing closing "quote'],
      ['a: 0400', '1:4 0400 means 256 in YAML 1.1 and 400 in YAML 1.2; write the one that is meant'],
      ['a: 1:30', '1:4 1:30 means 90 in YAML 1.1 and "1:30" in YAML 1.2; write the one that is meant'],
      ['a: yes', '1:4 yes means true in YAML 1.1 and "yes" in YAML 1.2; write the one that is meant'],
      ['a: OFF', '1:4 OFF means false in YAML 1.1 and "OFF" in YAML 1.2; write the one that is meant'],
      ['a: 1_000', '1:4 1_000 means 1000 in YAML 1.1 and "1_000" in YAML 1.2; write the one that is meant'],
      ['a: 0b11', '1:4 0b11 means 3 in YAML 1.1 and "0b11" in YAML 1.2; write the one that is meant'],
      [
        'a: 12345678901234567891',
        '1:4 12345678901234567891 has more digits than a number can; write it in quotes',
      ],
    ])('refuses %j and says where', (text, problem) => {
      expect(failureOf(text)).toBe(problem)
    })
  })

  describe('YAML with comments', () => {
    const before = [
      '# One agent of the support team',
      'name: agent # until March',
      'source_config:',
      '  # Asked for by Ada',
      '  cpu: 1',
      'secrets:',
      '  - name: A # of staging',
      '    value: a',
      '  # The next one is shared',
      '  - name: B',
      '    value: b',
      '  - name: C # of ours',
      '    value: c',
      '',
    ].join('\n')
    const read = readYaml(before)
    const value = (read.ok && read.value) as Record<string, unknown>
    const [a, b, c] = value.secrets as object[]

    it('keeps them at the members that still exist', () => {
      expect(writeYamlLike(before, value)).toBe(before)
      const renamed = writeYamlLike(before, {
        ...value,
        name: 'other',
        source_config: { cpu: 2, cpu_limit: 4 },
      })
      expect(renamed).toBe(
        before.replace('name: agent #', 'name: other #').replace('cpu: 1', 'cpu: 2\n  cpu_limit: 4'),
      )
      const without = writeYamlLike(before, { ...value, secrets: [a, c, { name: 'D', value: '' }] })
      expect(without).toContain('name: A # of staging')
      expect(without).toContain('name: C # of ours')
      expect(without).not.toContain('name: B')
      expect(writeYamlLike(before, { ...value, secrets: [b] })).toContain(
        '# The next one is shared\n  - name: B',
      )
      expect(writeYamlLike('a: [ # broken', { a: 1 })).toBe('a: 1\n')
    })

    it('has the new value, whatever the value was before', () => {
      const names = fc.constantFrom('a', 'b', 'c', '# d')
      const { tree } = fc.letrec((tie) => ({
        tree: fc.oneof(
          { depthSize: 'small' },
          fc.constantFrom('text', '# no comment', 'two\nlines\n', '', 1, true, null),
          fc.array(tie('tree'), { maxLength: 4 }),
          fc.dictionary(names, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
        ),
      }))
      const commented = (one: unknown): string =>
        writeYaml(one)
          .split('\n')
          .map((line, index) =>
            /^[\s-]*\w: \w*$/.test(line) && index % 2 === 0 ? `${line} # ${index}` : line,
          )
          .join('\n')
      fc.assert(
        fc.property(tree, tree, (one, other) => {
          const text = writeYamlLike(`# first\n${commented(one)}`, other)
          const again = readYaml(text)
          expect(again.ok && again.value).toStrictEqual(other)
        }),
      )
    })
  })

  describe('a value of a request', () => {
    const spec = ['source_config', 'resource_spec']
    const volume = [...spec, 'volumes', 0, 'secret']
    const container = [...spec, 'sidecars', 0]

    it.each<[(string | number)[], string, unknown]>([
      [[...volume, 'defaultMode'], '0400', 256],
      [[...volume, 'defaultMode'], '0o400', 256],
      [[...volume, 'defaultMode'], '256', 256],
      [[...volume, 'items', 0, 'mode'], '0644', 420],
      [[...volume, 'optional'], 'yes', true],
      [[...volume, 'optional'], 'off', false],
      [[...volume, 'secretName'], '0123', '0123'],
      [[...spec, 'volume_mounts', 0, 'readOnly'], 'on', true],
      [[...spec, 'volume_mounts', 0, 'mountPath'], '1e3', '1e3'],
      [[...container, 'securityContext', 'runAsNonRoot'], 'Yes', true],
      [[...container, 'securityContext', 'runAsUser'], '1000', 1000],
      [[...container, 'env', 0, 'value'], '1.10', '1.10'],
      [[...container, 'args', 0], '8080', '8080'],
      [[...container, 'resources', 'limits', 'cpu'], '0.5', 0.5],
      [[...spec, 'labels', 'version'], '1.10', '1.10'],
      [[...spec, 'labels', 'build'], '0123', '0123'],
      [[...spec, 'labels', 'exp'], '1e3', '1e3'],
      [[...spec, 'labels', 'enabled'], 'true', 'true'],
      [[...spec, 'labels', 'country'], 'no', 'no'],
      [[...spec, 'labels', 'since'], '2026-01-01', '2026-01-01'],
      [[...spec, 'labels', 'at'], '12:30:00', '12:30:00'],
      [[...spec, 'annotations', 'id'], '12345678901234567891', '12345678901234567891'],
      [[...spec, 'labels', 'none'], '~', null],
      [[...spec, 'cpu'], '1.50', 1.5],
      [['name'], '007', '007'],
      [['secrets', 0, 'value'], '1_000', '1_000'],
    ])('at %j is read from %s as what it means there', (path, text, value) => {
      const nested = path.reduceRight<string>(
        (inner, part) => (typeof part === 'number' ? `[${inner}]` : `{${part}: ${inner}}`),
        text,
      )
      const read = readYaml(nested, wantedAt)
      expect(read.ok && valueAt(read.value, path), nested).toEqual(value)
    })

    it('at a number, refuses what the versions of YAML read differently', () => {
      expect(readYaml('source_config: {resource_spec: {memory_mb: 0512}}', wantedAt)).toMatchObject({
        ok: false,
      })
    })

    it('is kept as it is written in JSON too, where a text is wanted', () => {
      const read = readJson('{"source_config":{"resource_spec":{"labels":{"v":1.10,"on":true}}}}', wantedAt)
      expect(read.ok && valueAt(read.value, [...spec, 'labels'])).toEqual({ v: '1.10', on: 'true' })
      expect(readJson('[12345678901234567891]')).toMatchObject({ ok: false })
    })
  })
})

describe('free-form fields', () => {
  describe('a number in a cell', () => {
    it.each([
      ['', undefined],
      ['  ', undefined],
      ['2', 2],
      [' 1.5 ', 1.5],
      ['1.', 1],
      ['.5', 0.5],
      ['-1', -1],
      ['1e3', 1000],
      ['two', 'two'],
      ['1,5', '1,5'],
      ['0x10', '0x10'],
      ['1e999', '1e999'],
      ['Infinity', 'Infinity'],
    ])('is read from %j', (text, value) => {
      expect(numberOf(text)).toBe(value)
    })
  })

  describe('the rows of a free-form object', () => {
    it('are its members, in their order, and return the same object', () => {
      const labels = { team: 'support', count: 2, deep: { a: [null] } }
      const rows = rowsOf(labels)!
      expect(rows.map(({ key }) => key)).toEqual(['team', 'count', 'deep'])
      expect(JSON.stringify(valueOfRows(rows))).toBe(JSON.stringify(labels))
      expect(rowsOf(null)).toEqual([])
      expect(valueOfRows([])).toBeUndefined()
    })

    it('remain as they are while a key is missing or repeated', () => {
      for (const keys of [[''], ['a', 'a'], ['a', '']]) {
        const rows = keys.map((key) => ({ key, value: 'x' }))
        expect(valueOfRows(rows)).toEqual(rows)
        expect(rowsOf(valueOfRows(rows))).toEqual(rows)
        expect(problemOfRows(rows)).toMatch(/Enter a key|Duplicate/)
      }
      expect(problemOfRows({})).toBeNull()
    })
  })

  describe('a free-form text', () => {
    it('stays a text until it has the expected type', () => {
      expect(meaningOf('[1]', [], 'object')).toBe('[1]')
      expect(meaningOf('a: 1', [], 'list')).toBe('a: 1')
      expect(meaningOf('"text"', [], 'object')).toBe('"text"')
      expect(meaningOf('- a: 1', [], 'list')).toEqual([{ a: 1 }])
      expect(meaningOf('null', [], 'object')).toBeNull()
    })

    it('is restored as it was typed', () => {
      for (const text of ['a: 1 # why\n', '{"a":1}', 'not: [yet']) {
        expect(textOf(meaningOf(text, [], 'object'))).toBe(text)
      }
      expect(textOf({ a: 1 })).toBe('{\n  "a": 1\n}')
      expect(textOf(undefined)).toBe('')
    })
  })
})
