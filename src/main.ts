import './first-paint'
import './theme/style-nonce'
import { createPinia } from 'pinia'
import { createApp, nextTick } from 'vue'
import App from './App.vue'
import { openLastScreen } from './last-screen'
import { router } from './router'
import { useAppStore } from './stores/application/app'
import { useChoicesStore } from './stores/application/choices'
import './theme/base.css'
import './theme/forced-colors.css'
import 'virtual:uno.css'

const pinia = createPinia()
const app = createApp(App).use(pinia).use(router)

/** Not awaited: a lazily loaded screen imports this module and would wait for it. */
async function start(): Promise<void> {
  await Promise.all([useAppStore(pinia).start(), useChoicesStore(pinia).start(), router.isReady()])
  await openLastScreen(router, useAppStore(pinia), useChoicesStore(pinia))
  app.mount('#app')
  await nextTick()
  document.documentElement.dataset.ready = 'true'
}

void start()
