// Package target provides Slipway's release targets for the magefile of any product:
//
//	//go:build mage
//
//	package main
//
//	import (
//		//mage:import
//		_ "github.com/slipway-dev/slipway/target"
//	)
//
// After `go get -tool github.com/magefile/mage github.com/slipway-dev/slipway/cmd/slipway`,
// the command `go tool mage release` releases the product described by slipway.yaml in the
// directory of go.mod. Each target compiles the slipway command at the version in go.mod
// and runs its subcommand of the same name. The package itself needs little more than the
// standard library, so that mage compiles quickly.
package target

import "context"

// Release makes a release: images, release.yaml, airgap bundles, checksums.
func Release(
	ctx context.Context,
	product *string, // the product's description (slipway.yaml)
	registry *string, // host[/prefix] of the release; none is a snapshot
	version *string, // the product's version, or git ($SLIPWAY_VERSION, then that in slipway.yaml)
	channel *string, // a channel of slipway.yaml
	platforms *string, // only these platforms, separated by commas
	images *string, // only these images, separated by commas
	out *string, // output directory, with the files of the release (dist)
	sign *string, // private key that signs (password: $SLIPWAY_PASSWORD, or the terminal)
	signer *string, // program that signs
	signerKey *string, // public key of signer
	builder *string, // URI of who builds, for the provenance
	q *bool, // print only the result and errors
) error {
	args := append([]string{"release"}, signing(sign, signer, signerKey, builder)...)
	return run(ctx, args, options{product, registry, version, channel, platforms, images, out, q})
}

// Keygen makes a key that signs releases: NAME.key and NAME.pub.
func Keygen(
	ctx context.Context,
	name *string, // begins the names of both files (release)
) error {
	args := []string{"keygen"}
	if name != nil {
		args = append(args, *name)
	}
	return run(ctx, args, options{})
}

// Lint checks release.yaml against what Linux and Windows nodes can run.
func Lint(
	ctx context.Context,
	product *string, // the product's description (slipway.yaml)
	version *string, // the product's version, or git ($SLIPWAY_VERSION, then that in slipway.yaml)
	channel *string, // a channel of slipway.yaml
	out *string, // output directory, with the files of the release (dist)
	q *bool, // print only the result and errors
) error {
	return run(ctx, []string{"lint"}, options{product: product, version: version, channel: channel, out: out, q: q})
}

// Check finds mistakes that would stop a release, without building anything.
func Check(
	ctx context.Context,
	product *string, // the product's description (slipway.yaml)
	registry *string, // host[/prefix] of the release
	version *string, // the product's version, or git ($SLIPWAY_VERSION, then that in slipway.yaml)
	channel *string, // a channel of slipway.yaml
	platforms *string, // only these platforms, separated by commas
	images *string, // only these images, separated by commas
	q *bool, // print only the result and errors
) error {
	return run(ctx, []string{"check"}, options{
		product: product, registry: registry, version: version, channel: channel,
		platforms: platforms, images: images, q: q,
	})
}

// Plan prints what a release would do, without doing any of it.
func Plan(
	ctx context.Context,
	product *string, // the product's description (slipway.yaml)
	registry *string, // host[/prefix] of the release; none is a snapshot
	version *string, // the product's version, or git ($SLIPWAY_VERSION, then that in slipway.yaml)
	channel *string, // a channel of slipway.yaml
	platforms *string, // only these platforms, separated by commas
	images *string, // only these images, separated by commas
	out *string, // output directory, with the files of the release (dist)
	q *bool, // print only the result and errors
) error {
	return run(ctx, []string{"plan"}, options{product, registry, version, channel, platforms, images, out, q})
}

// Doctor tries what a release needs: programs, disks, clock, logins, proxies.
func Doctor(
	ctx context.Context,
	product *string, // the product's description (slipway.yaml)
	registry *string, // host[/prefix] of the release
	out *string, // output directory, with the files of the release (dist)
) error {
	return run(ctx, []string{"doctor"}, options{product: product, registry: registry, out: out})
}

// Pin pins base images and third-party images by digest, and prints what changed.
func Pin(
	ctx context.Context,
	product *string, // the product's description (slipway.yaml)
	update *bool, // renew existing pins, too
) error {
	args := []string{"pin"}
	if update != nil && *update {
		args = append(args, "-update")
	}
	return run(ctx, args, options{product: product})
}

// Serve serves the images of the last release as a registry on this machine, until it is
// interrupted.
func Serve(
	ctx context.Context,
	product *string, // the product's description (slipway.yaml)
	out *string, // output directory, with the files of the release (dist)
	q *bool, // print only the address
) error {
	return run(ctx, []string{"serve"}, options{product: product, out: out, q: q})
}

// Clean removes the files of the release and the store.
func Clean(
	ctx context.Context,
	product *string, // the product's description (slipway.yaml)
	out *string, // output directory, with the files of the release (dist)
) error {
	return run(ctx, []string{"store", "clean"}, options{product: product, out: out})
}
