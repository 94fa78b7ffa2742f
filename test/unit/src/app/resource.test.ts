import type { Outcome } from '@contract'
import { fail, failure, succeed } from '@contract/core/outcome'
import { expect, it } from 'vitest'
import { ref } from 'vue'
import { useResource } from '@/app/stores/resource'

const disk = failure('disk-full', 'The disk is full.')

function started() {
  const key = ref<string | null>('a')
  const reads: { signal: AbortSignal; answer: (outcome: Outcome<string>) => void }[] = []
  const resource = useResource<string>(
    () => key.value,
    (signal) => new Promise((answer) => reads.push({ signal, answer })),
  )
  return { key, reads, ...resource }
}

it('takes the answer to the latest read, and cancels the one before', async () => {
  const { reads, value, loading, load } = started()
  const first = load()
  const second = load()
  expect(reads[0]!.signal.aborted).toBe(true)
  reads[0]!.answer(succeed('first'))
  await first
  expect([value.value, loading.value]).toEqual([null, true])
  reads[1]!.answer(succeed('second'))
  await second
  expect([value.value, loading.value]).toEqual(['second', false])
})

it('forgets what was read for another key, and reads nothing without one', async () => {
  const { key, reads, value, failure: why, load } = started()
  const read = load()
  key.value = 'b'
  reads[0]!.answer(succeed('of a'))
  await read
  expect(value.value).toBeNull()
  const again = load(true)
  reads[1]!.answer(fail(disk))
  await again
  expect(why.value?.code).toBe('disk-full')
  key.value = null
  expect(why.value).toBeNull()
  await load()
  expect(reads).toHaveLength(2)
})

it('keeps what was read if reading it again fails', async () => {
  const { reads, value, failure: why, load } = started()
  const first = load()
  reads[0]!.answer(succeed('one'))
  await first
  const again = load()
  reads[1]!.answer(fail(disk))
  await again
  expect([value.value, why.value?.code]).toEqual(['one', 'disk-full'])
})
