import { describe, expect, it } from 'vitest'
import { runningSource } from '@/format/deployment/running-source'

const nothing = { repo_url: null, repo_ref: null, image_uri: null, source_tarball_path: null }
const runs = (members: Record<string, string>) => runningSource({ ...nothing, ...members })

describe('what a deployment runs', () => {
  it.each([
    ['https://github.com/acme/billing.git', 'billing'],
    ['git@github.com:acme/billing.git', 'billing'],
    ['https://git.example.com/group/sub/billing/', 'billing'],
    ['billing', 'billing'],
  ])('%s is %s', (repo_url, name) => expect(runs({ repo_url })?.name).toBe(name))
})
