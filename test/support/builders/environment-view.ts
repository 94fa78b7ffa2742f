import type { EnvironmentView } from '@contract'
import type { TrustView } from '@contract/core/network'

/** An environment's profile as the page knows it. */
export const environmentView = (more: Partial<EnvironmentView> = {}): EnvironmentView => ({
  baseUrl: 'https://deploy.example.com',
  mode: 'cloud',
  colour: 'blue',
  protected: false,
  readOnly: false,
  headerNames: [],
  integrations: [],
  nicknames: {},
  trust: { kind: 'system' },
  proxy: { mode: 'system' },
  ...more,
})

/** The rule that trusts exactly one certificate, as the page knows it. */
export const exactTrust: Extract<TrustView, { kind: 'exact' }> = {
  kind: 'exact',
  certificate: {
    subject: 'CN=one',
    issuer: 'CN=one',
    validFrom: '2026-01-01T00:00:00Z',
    validTo: '2027-01-01T00:00:00Z',
    fingerprint: Array.from({ length: 32 }, () => 'AB').join(':'),
  },
}
