import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type Version,
  versionFrom,
  versionKey,
  versionOf,
  versionsDiffer,
} from '../../../../../electron/domain/agents/version'

const nothing = {
  repo_url: null,
  repo_ref: null,
  repo_commit_sha: null,
  image_uri: null,
  image_version: null,
  source_tarball_path: null,
}

it('reads branch and commit, tag and digest, or the archive', () => {
  const repository = { ...nothing, repo_url: 'https://example.com/a', repo_ref: 'refs/heads/main' }
  expect(versionOf({ ...repository, repo_commit_sha: 'abc' })).toEqual({
    kind: 'repository',
    name: 'main',
    exact: 'abc',
  })
  const image = { ...nothing, image_uri: 'example.com:5000/a:1.2@sha256:abc' }
  expect(versionOf(image)).toEqual({ kind: 'image', name: '1.2', exact: 'sha256:abc' })
  expect(versionOf({ ...nothing, image_uri: 'example.com:5000/a', image_version: '3' })?.name).toBe('3')
  expect(versionOf({ ...nothing, source_tarball_path: 'a.tgz' })?.kind).toBe('archive')
  expect(versionOf(nothing)).toBeNull()
})

const repository = (name: string | null, exact: string | null): Version => ({
  kind: 'repository',
  name,
  exact,
})

it('compares by commit if both have one, and by branch otherwise', () => {
  expect(versionsDiffer([repository('main', 'a'), repository('release', 'a')])).toBe(false)
  expect(versionsDiffer([repository('main', 'a'), repository('main', 'b')])).toBe(true)
  expect(versionsDiffer([repository('main', 'a'), repository('main', null)])).toBe(false)
  expect(versionsDiffer([repository('main', 'a'), repository('release', null)])).toBe(true)
  expect(versionsDiffer([repository('main', 'a'), null, repository(null, null)])).toBe(false)
  expect(versionsDiffer([repository('main', 'a'), { kind: 'image', name: 'main', exact: 'a' }])).toBe(true)
})

const part = fc.option(fc.constantFrom('a', 'b', 'refs x%y', 'ä'))
const versions = fc.array(
  fc.option(
    fc.record({
      kind: fc.constantFrom('repository', 'image', 'archive'),
      name: part,
      exact: part,
    }) as fc.Arbitrary<Version>,
  ),
  { maxLength: 5 },
)

it('gives the same result in any order, and for versions that were serialised', () => {
  fc.assert(
    fc.property(versions, (some) => {
      const differ = versionsDiffer(some)
      expect(versionsDiffer([...some].reverse())).toBe(differ)
      expect(versionsDiffer(some.map((one) => versionFrom(versionKey(one))))).toBe(differ)
      const pairs = some.flatMap((one, at) => some.slice(at + 1).map((other) => [one, other]))
      expect(pairs.some((pair) => versionsDiffer(pair))).toBe(differ)
    }),
  )
})
