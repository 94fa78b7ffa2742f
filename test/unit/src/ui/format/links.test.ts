import { deploymentSchema } from '@contract'
import { expect, it } from 'vitest'
import { linksOf } from '@/ui/format/links'

const deployment = (custom_url: string | null) =>
  deploymentSchema.parse({ id: 'd1', name: 'a b', tenant_id: 't1', source_config: { custom_url } })
const urls = (...given: Parameters<typeof linksOf>) => linksOf(...given).map(({ url }) => url)

it('lead to the app and its docs, to a known dashboard, and where the templates of an environment say', () => {
  const app = ['https://app.example.com', 'https://app.example.com/docs']
  const there = deployment('https://app.example.com/')
  expect(urls(there, 'https://deploy.example.com')).toEqual(app)
  expect(urls(there, 'https://eu.api.host.langchain.com/')).toEqual([
    ...app,
    'https://eu.smith.langchain.com/studio/?baseUrl=https%3A%2F%2Fapp.example.com',
    'https://eu.smith.langchain.com/o/t1/host/deployments/d1',
  ])
  expect(urls(there, 'https://agents.example.com/api-host').at(-1)).toBe(
    'https://agents.example.com/o/t1/host/deployments/d1',
  )
  const links = { app: 'https://x.example.com/{name}', dashboard: '{origin}/{constructor}' }
  expect(urls(deployment(null), 'https://deploy.example.com:8080/x', links)).toEqual([
    'https://x.example.com/a%20b',
    'https://deploy.example.com:8080/%7Bconstructor%7D',
  ])
})
