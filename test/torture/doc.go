// Package torture injects faults into the slipway command and judges what comes of them.
//
// A case prepares a directory, runs one command in it with one fault, and then runs the same
// command once more without a fault. The first run must be right or end with a clear error; the
// second must be right. "Right" is decided by comparison with the files of an undisturbed run,
// byte for byte. The kinds of faults have a file each: kill_test.go, syscall_test.go,
// damage_test.go, network_test.go, signal_test.go and pair_test.go. docs/results/torture.md
// explains them and has the table of a long run.
//
// `go test` tries a sample; `go tool mage torture -time=30m` tries all cases, and then further
// random ones until the time is up.
package torture
