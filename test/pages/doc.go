// Package pages opens the pages of releases in Chromium, as people do: nothing on the console, no
// request, all that the lock and lint state, without JavaScript and by the keyboard, on small and
// dark screens, and by axe's rules of accessibility. TestMutants breaks a page in each of these
// ways, so that a check that finds nothing has looked. The site of the documentation is opened,
// too.
//
// The module is separate because of the client of Chromium's protocol. With -artifacts it keeps
// pictures of the pages.
package pages
