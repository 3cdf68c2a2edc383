import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './theme/global.css';
import { createRoot } from 'react-dom/client';
import { App, beginLoading } from './app.tsx';
import './frame/page-parts.ts';
import { rememberedLanguage } from './text/language.ts';
import { textsIn } from './text/texts.ts';
import { adoptTheme } from './theme/theme-styles.ts';

adoptTheme();
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id root.');
const language = rememberedLanguage();
const texts = textsIn(language);
beginLoading();
createRoot(root).render(<App initialLanguage={{ language, texts: await texts }} />);
