import { type NetworkSettings, type Proxy } from '@contract'
import { describe, expect, it } from 'vitest'
import {
  type Engine,
  credentialsRefusal,
  isTrialEngine,
} from '../../../../../electron/main/http/trial-engine'
import manifest from '../../../../../package.json'

describe('a trial engine', () => {
  const built = Number.parseInt(manifest.devDependencies.electron, 10)
  const engine = (electron: string | undefined, variables: Engine['variables'] = {}): Engine => ({
    electron,
    variables,
  })
  const trial = engine('33.2.1')
  const official = engine(manifest.devDependencies.electron)
  const key = { 'X-Api-Key': 'secret' }
  const through = (proxy: Proxy): NetworkSettings => ({ trust: { kind: 'system' }, proxy })
  const manual = (host: string, password: string | null = null): NetworkSettings =>
    through({
      mode: 'manual',
      host,
      port: 3128,
      credentials: password === null ? null : { userName: 'me', password },
    })

  describe('a trial engine', () => {
    it.each([
      ['33.2.1', true],
      [`${built - 3}.9.9`, true],
      [`${built - 2}.0.0`, false],
      [manifest.devDependencies.electron, false],
      [`${built + 1}.0.0`, false],
    ])('Electron %s: %s', (version, expected) => {
      expect(isTrialEngine(engine(version))).toBe(expected)
    })

    it('is recognised by the version of the running program, whatever the variables say', () => {
      expect(isTrialEngine(engine('33.2.1', { SLIPWAY_ALLOW_TRIAL_ENGINE: '1' }))).toBe(true)
    })
  })

  describe('credentials on a trial engine', () => {
    it.each([
      ['http://localhost:8080', undefined],
      ['http://api.localhost', undefined],
      ['https://127.0.0.1/prefix', undefined],
      ['http://127.1:80', undefined],
      ['http://[::1]:4000', undefined],
      ['http://localhost', manual('127.0.0.1', 'secret')],
      ['http://localhost', manual('[::1]', 'secret')],
      ['http://localhost', through({ mode: 'pac-url', url: 'http://config.example/p.pac' })],
    ])('stay on this machine at %s', (baseUrl, network) => {
      expect(credentialsRefusal({ baseUrl, headers: key, network }, [], trial)).toBeNull()
    })

    it.each([
      ['https://deploy.example.com', undefined],
      ['https://localhost.example.com', undefined],
      ['http://192.168.0.1', undefined],
      ['http://127.0.0.1.example.com', undefined],
      ['http://0.0.0.0', undefined],
      ['http://[::ffff:7f00:1]', undefined],
      ['http://localhost', manual('proxy.example.com')],
      ['https://deploy.example.com', manual('localhost')],
      ['http://localhost', manual('not a host')],
    ])('are refused for %s', (baseUrl, network) => {
      const refusal = credentialsRefusal({ baseUrl, headers: key, network }, [], trial)
      expect(refusal?.code).toBe('not-allowed')
      expect(refusal?.message).toContain('Electron 33.2.1')
      expect(refusal?.advice).toContain('SLIPWAY_ALLOW_TRIAL_ENGINE=1')
      expect(JSON.stringify(refusal)).not.toContain('secret')
    })

    it('include a proxy’s password', () => {
      const target = { baseUrl: 'https://deploy.example.com', headers: {} }
      expect(credentialsRefusal({ ...target, network: manual('localhost') }, [], trial)).toBeNull()
      expect(
        credentialsRefusal({ ...target, network: manual('localhost', 'secret') }, [], trial),
      ).not.toBeNull()
    })

    it('include the secrets of a creation', () => {
      const target = { baseUrl: 'https://deploy.example.com', headers: {} }
      expect(credentialsRefusal(target, ['secret'], trial)?.sent).toBe('no')
      expect(credentialsRefusal({ ...target, baseUrl: 'http://localhost' }, ['secret'], trial)).toBeNull()
      expect(credentialsRefusal(target, ['secret'], official)).toBeNull()
    })

    it('are not refused if there are none, with permission, or on a supported Electron', () => {
      const target = { baseUrl: 'https://deploy.example.com', headers: key }
      expect(credentialsRefusal({ ...target, headers: {} }, [], trial)).toBeNull()
      expect(credentialsRefusal(target, [], engine('33.2.1', { SLIPWAY_ALLOW_TRIAL_ENGINE: '1' }))).toBeNull()
      expect(credentialsRefusal(target, [], official)).toBeNull()
      expect(
        credentialsRefusal(target, [], engine('33.2.1', { SLIPWAY_ALLOW_TRIAL_ENGINE: 'true' })),
      ).not.toBeNull()
    })
  })
})
