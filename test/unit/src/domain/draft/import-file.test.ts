import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draftOf, requestOf } from '@/domain/draft/draft'
import { draftFromFile } from '@/domain/draft/import-file'
import { check } from '@/domain/draft/validate'
import { writeYaml } from '@/domain/text/yaml'

function imported(fileName: string, text: string) {
  const reading = draftFromFile(fileName, text)
  if (!reading.ok) throw new Error(reading.message)
  return { request: requestOf(reading.prefilled.draft), notes: reading.prefilled.notes.join('\n') }
}

const request = {
  name: 'agent',
  source: 'external_docker',
  source_config: { resource_spec: { cpu: 1.5, labels: { team: 'support' } } },
  source_revision_config: { image_uri: 'registry.example.com/agent:1' },
  secrets: [{ name: 'KEY', value: 'given' }],
}

describe('a file', () => {
  it('with a request is imported completely, as JSON and as YAML', () => {
    for (const [name, text] of [
      ['a.json', `\ufeff${JSON.stringify(request)}`],
      ['a.yaml', writeYaml(request)],
      ['a.yml', JSON.stringify(request)],
    ] as const) {
      expect(imported(name, text)).toEqual({ request, notes: '' })
    }
  })

  it('with a deployment lists what a request cannot carry', () => {
    const { request: taken, notes } = imported(
      'a.json',
      JSON.stringify({
        ...request,
        id: '1',
        status: 'READY',
        colour: 'red',
        source_config: { ...request.source_config, listener_id: 'none', size: 'big' },
        secrets: [{ name: 'KEY', value: '' }],
      }),
    )
    expect(taken).toEqual({ ...request, secrets: [{ name: 'KEY', value: '' }] })
    expect(notes).toContain('Secret values: the file has none for KEY.')
    expect(notes).toContain('Fields that only the service sets: id, status.')
    for (const member of ['colour', 'source_config.listener_id', 'source_config.size']) {
      expect(notes).toContain(member)
    }
  })

  it.each([
    ['cpu', '500m', 0.5],
    ['cpu', '1.5', 1.5],
    ['queue_cpu_limit', '1k', 1000],
    ['memory_mb', '2Gi', 2048],
    ['memory_mb', '512Mi', 512],
    ['queue_memory_limit_mb', '2G', 2000],
    ['memory_mb', '1024MB', 1024],
    ['memory_mb', '2gb', 2000],
    ['memory_mb', '1 Gi', 1024],
    ['db_storage_gi', '10Gi', 10],
    ['db_storage_gi', '1Ti', 1024],
    ['max_scale', '3', 3],
  ])('with %s: %s has a wrong value, in place of which %s is offered', (member, text, meant) => {
    const file = { ...request, source_config: { resource_spec: { [member]: text } } }
    const { request: taken, notes } = imported('a.json', JSON.stringify(file))
    expect(notes).toBe(`Wrong values: source_config.resource_spec.${member} (${text}; ${meant} is meant).`)
    expect(taken.source_config.resource_spec).toEqual({ [member]: text })
    const finding = check(draftOf(taken), 'self-hosted').find(({ path }) => path.at(-1) === member)
    expect(finding).toMatchObject({
      severity: 'error',
      message: expect.stringMatching(`${text} is ${meant} here`) as string,
    })
  })

  it.each([
    ['memory_mb', '1k'],
    ['memory_mb', 'much'],
    ['memory_mb', '1.5'],
    ['max_scale', '1.5'],
    ['cpu', 'two'],
  ])('with %s: %s has a wrong value, and nothing is offered', (member, text) => {
    const file = { ...request, source_config: { resource_spec: { [member]: text } } }
    expect(imported('a.json', JSON.stringify(file)).notes).toBe(
      `Wrong values: source_config.resource_spec.${member}.`,
    )
  })

  it('never fails otherwise, whatever it contains', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...Object.keys(request), 'secret_references'), fc.jsonValue()),
        (value) => {
          draftFromFile('a.json', JSON.stringify(value))
        },
      ),
    )
  })
})
