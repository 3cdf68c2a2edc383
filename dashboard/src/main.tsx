import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './theme/global.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { mendBrowserLocale } from './text/language.ts';
import { adoptTheme } from './theme/theme-styles.ts';

mendBrowserLocale();
adoptTheme();
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id root.');
createRoot(root).render(<App />);
