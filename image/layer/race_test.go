//go:build race

package layer_test

const raceDetector = true
