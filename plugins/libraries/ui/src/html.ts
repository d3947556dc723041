/** Templates that become preact nodes; what is put in is escaped. */
export { html } from 'htm/preact';
