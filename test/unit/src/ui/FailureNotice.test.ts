import { failure } from '@contract'
import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import FailureNotice from '@/ui/widgets/FailureNotice.vue'
import { startApp } from '../../../support/page/start-app'

vi.mock('vue-router', () => ({ useRouter: () => ({ push: () => undefined }) }))

const full = failure('internal', 'The disk is full.', { retryable: true })

it('offers Retry only if something can be retried', async () => {
  let retried = 0
  const notice = mount(FailureNotice, { props: { failure: full, onRetry: () => (retried += 1) } })
  await notice.get('button').trigger('click')
  expect(retried).toBe(1)
  await notice.setProps({ failure: { ...full, retryable: false } })
  expect(notice.find('button').exists()).toBe(false)
  await notice.setProps({ alwaysRetry: true })
  expect(notice.find('button').text()).toBe('Retry')
  notice.unmount()
  const elsewhere = mount(FailureNotice, { props: { failure: full } })
  expect(elsewhere.find('button').exists()).toBe(false)
})

it('has the advice, a short message of the service and the actions in one line, and a long message at hand', async () => {
  const refused = {
    ...full,
    message: 'Refused.',
    advice: 'Ask an admin.',
    status: 403,
    serviceWords: 'No access',
  }
  const notice = mount(FailureNotice, { props: { failure: refused, compact: true, onRetry: () => null } })
  expect(notice.get('.failure-body').text()).toMatch(
    /^Refused\.\s*Ask an admin\.\s*Service response \(403\):\s*No access\s*Retry$/,
  )
  expect(notice.find('details').exists()).toBe(false)
  await notice.setProps({ failure: { ...refused, serviceWords: 'One.\nTwo.' } })
  expect(notice.get('details summary').text()).toBe('Service response (403):')
  expect(notice.get('details').text()).toContain('Two.')
  await notice.setProps({ compact: false })
  expect(notice.get('blockquote').text()).toContain('Two.')
})

it('leads to the current environment only if its own service refused the credentials', async () => {
  startApp()
  const unauthorised = failure('unauthorised', 'The key was refused.')
  const notice = mount(FailureNotice, { props: { failure: unauthorised, ofCurrent: true } })
  expect(notice.findAll('button').map((button) => button.text())).toEqual(['Edit environment'])
  await notice.setProps({ failure: full })
  expect(notice.find('button').exists()).toBe(false)
  await notice.setProps({ failure: unauthorised, ofCurrent: false })
  expect(notice.find('button').exists()).toBe(false)
})
