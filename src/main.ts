import './first-paint'
import './theme/style-nonce'
import { createPinia } from 'pinia'
import { createApp, nextTick } from 'vue'
import App from './App.vue'
import { router } from './router'
import { useAppStore } from './stores/app'
import './theme/base.css'

const pinia = createPinia()
const app = createApp(App).use(pinia).use(router)

const started = useAppStore(pinia).start()
await Promise.all([started, router.isReady()])
app.mount('#app')
await nextTick()
document.documentElement.dataset.ready = 'true'
