import { failure } from '@contract'
import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import FailureNotice from '@/components/failure/FailureNotice.vue'

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
  elsewhere.unmount()
})
