import { createApp, h } from 'vue';
import Fields from './Fields.vue';
import Widgets from './Widgets.vue';

createApp({ render: () => [h('h1', 'Vue'), h(Fields), h(Widgets)] }).mount('#app');
