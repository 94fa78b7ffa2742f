import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requestOf } from '@/domain/draft/draft'
import { draftFromFile } from '@/domain/draft/import-file'
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
