// Command choose prints the platform that containerd's client takes on this host from each of the
// lists of platforms that it reads, as JSON, from standard input: of those that match the first,
// after a stable sort, as images.Manifest of containerd does with the manifests of an index. The
// command is built with two versions of the module that matches: go.mod has that of containerd
// 2.3 and later, old.mod that of containerd 1.7.
package main

import (
	"encoding/json"
	"log"
	"os"
	"slices"

	"github.com/containerd/platforms"
)

// chosen is what the program prints.
type chosen struct {
	Host  string // the Windows version that the host reports
	Taken []int  // an index for each list, -1 for none
}

func main() {
	var lists [][]platforms.Platform
	if err := json.NewDecoder(os.Stdin).Decode(&lists); err != nil {
		log.Fatal(err)
	}
	is := chosen{Host: platforms.DefaultSpec().OSVersion}
	for _, l := range lists {
		is.Taken = append(is.Taken, choose(platforms.Default(), l))
	}
	if err := json.NewEncoder(os.Stdout).Encode(is); err != nil {
		log.Fatal(err)
	}
}

func choose(host platforms.MatchComparer, all []platforms.Platform) int {
	var matching []int
	for n, p := range all {
		if host.Match(p) {
			matching = append(matching, n)
		}
	}
	if len(matching) == 0 {
		return -1
	}
	slices.SortStableFunc(matching, func(a, b int) int {
		switch {
		case host.Less(all[a], all[b]):
			return -1
		case host.Less(all[b], all[a]):
			return 1
		}
		return 0
	})
	return matching[0]
}
