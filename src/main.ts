import './first-paint'
import './app/theme/style-nonce'
import { createPinia } from 'pinia'
import { createApp, nextTick } from 'vue'
import App from './app/shell/App.vue'
import { openLastScreen, router } from './app/shell/router'
import { useAppStore } from './app/stores/app'
import { useChoicesStore } from './app/stores/choices'
import './app/theme/base.css'
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
