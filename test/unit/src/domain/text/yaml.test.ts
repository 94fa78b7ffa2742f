import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasComments, writeYamlLike } from '@/domain/text/yaml-comments'
import { readYaml, writeYaml } from '@/domain/text/yaml'

const failureOf = (text: string): string => {
  const read = readYaml(text)
  if (read.ok) throw new Error(`was read as ${JSON.stringify(read.value)}`)
  return `${read.position.line}:${read.position.column} ${read.message}`
}

describe('YAML', { timeout: 300_000 }, () => {
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
      { numRuns: 200 },
    )
  })

  it.each([
    ['yes', 'yes'],
    ['012', 12],
    ['0o14', 12],
    ['1_000', '1_000'],
    ['2026-01-01', '2026-01-01'],
    ['', null],
    ['# nothing', null],
    ['---\na: 1\n', { a: 1 }],
    ['1: one\ntrue: two', { '1': 'one', true: 'two' }],
    ['%YAML 1.1\n---\non: yes', { on: 'yes' }],
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
  ])('refuses %j and says where', (text, problem) => {
    expect(failureOf(text)).toBe(problem)
  })

  it('refuses a short text that expands without end', () => {
    const levels = Array.from(
      { length: 30 },
      (_, index) => `l${index + 1}: &l${index + 1} [*l${index}, *l${index}]`,
    )
    expect(failureOf(`l0: &l0 [x]\n${levels.join('\n')}`)).toMatch(/aren't supported/)
    expect(failureOf('['.repeat(20_000))).not.toBe('')
    expect(failureOf(`${'['.repeat(150)}${']'.repeat(150)}`)).toContain('levels are too deep')
  })

  it('knows the place of every member', () => {
    const read = readYaml('name: a\nsource_config:\n  labels: {x: 1, y: 2}\n  list:\n    - p\n    - q: r\n')
    if (!read.ok) throw new Error(read.message)
    expect(read.positionOf(['source_config', 'labels', 'y'])).toEqual({ line: 3, column: 18 })
    expect(read.positionOf(['source_config', 'list', 1, 'q'])).toEqual({ line: 6, column: 7 })
    expect(read.positionOf(['source_config', 'list', 1, 'missing'])).toEqual({ line: 6, column: 7 })
    expect(read.positionOf(['elsewhere'])).toEqual({ line: 1, column: 1 })
  })
})

describe('YAML with comments', { timeout: 300_000 }, () => {
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

  it('distinguishes comments from similar text', () => {
    expect(hasComments(before)).toBe(true)
    expect(hasComments('a: "x # y"\nb: x#y\nc: |\n  # text\n')).toBe(false)
  })

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
        .map((line, index) => (/^[\s-]*\w: \w*$/.test(line) && index % 2 === 0 ? `${line} # ${index}` : line))
        .join('\n')
    fc.assert(
      fc.property(tree, tree, (one, other) => {
        const text = writeYamlLike(`# first\n${commented(one)}`, other)
        const again = readYaml(text)
        expect(again.ok && again.value).toStrictEqual(other)
      }),
      { numRuns: 300 },
    )
  })
})
