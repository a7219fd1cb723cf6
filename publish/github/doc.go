// Package github publishes the files of a release where its sources are: at GitHub.
//
// [Read] lists the files of a finished release, those that SHA256SUMS lists, and compares them
// with it. [GitHub.Publish] makes a draft, sends what it lacks, compares everything by digest and
// publishes last, so that a release that cannot be changed afterwards misses nothing. Whatever
// stops it, the next run goes on where it was.
//
// A comment in the notes names the files that a draft is for, so that two runs with different
// files do not mix them.
package github
