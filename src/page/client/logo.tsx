import { home } from './place.js';

export const Logo = () => <img class="logo" src={`${home}page/icon.svg`} alt="" />;
