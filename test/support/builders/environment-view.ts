import type { EnvironmentView } from '@contract'

/** What the page knows of an environment's profile. */
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
