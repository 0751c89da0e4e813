# SPDX-License-Identifier: MIT
"""Compile time and object size of a generated service beside gRPC's, for the same definition.

One translation unit serves every service with a class that overrides each method, and calls each method once through
the typed client. gRPC's generated code has a source file of its own as well, which its users compile once: both figures
are given. Messages (.pb.cc) are the same for both and not counted. Runs take turns; the median of their processor time
counts.
"""

import argparse
import pathlib
import resource
import shlex
import statistics
import subprocess
import tempfile

METHODS = (
    ("First", "", ""),
    ("Second", "", ""),
    ("Gather", "stream ", ""),
    ("Spread", "", "stream "),
    ("Talk", "stream ", "stream "),
)


def definition(count):
    services = (
        f"service Service{i} {{\n"
        + "".join(f"  rpc {name}({takes}Request) returns ({gives}Response);\n" for name, takes, gives in METHODS)
        + "}\n"
        for i in range(count)
    )
    messages = (f"message {name} {{ string text = 1; int64 number = 2; }}\n" for name in ("Request", "Response"))
    return 'syntax = "proto3";\npackage compared;\n' + "".join(messages) + "".join(services)


OURS = """
namespace service_I {
class Served : public compared::ServiceI::Service {
 public:
  trunkline::Status first(const Request& request, Response& response, trunkline::ServerContext&) {
    response.set_number(request.number());
    return trunkline::Status::ok();
  }
  trunkline::Status second(const Request& request, Response& response, trunkline::ServerContext&) {
    response.set_number(request.number() + 1);
    return trunkline::Status::ok();
  }
  trunkline::Blocking<trunkline::Status> gather(trunkline::ServerReader<Request>& reader, Response& response,
                                                trunkline::ServerContext&) {
    trunkline::Status status;
    for (const Request& request : reader.messages(status)) response.set_number(response.number() + request.number());
    return status;
  }
  trunkline::Blocking<trunkline::Status> spread(const Request& request, trunkline::ServerWriter<Response>& writer,
                                                trunkline::ServerContext&) {
    Response response;
    trunkline::Status status;
    for (std::int64_t i = 0; i < request.number() && status.is_ok(); ++i) status = writer.write(response);
    return status;
  }
  trunkline::Blocking<trunkline::Status> talk(trunkline::ServerStream<Request, Response>& stream,
                                              trunkline::ServerContext&) {
    trunkline::Status status;
    Response response;
    for (const Request& request : stream.messages(status)) {
      response.set_number(request.number());
      if (trunkline::Status written = stream.write(response); !written) return written;
    }
    return status;
  }
};
void serve(trunkline::Server& server) { server.add_service(std::make_shared<Served>()); }
bool call(trunkline::Channel& channel) {
  const compared::ServiceI::Client client(channel);
  Request request;
  Response response;
  bool good = client.first(request, response).is_ok() && client.second(request, response).is_ok();
  auto gather = client.gather();
  good = gather.write(request).is_ok() && gather.finish(response).is_ok() && good;
  auto spread = client.spread(request);
  good = spread.read().is_ok() && spread.finish().is_ok() && good;
  auto talk = client.talk();
  good = talk.write(request).is_ok() && talk.read().is_ok() && good;
  good = talk.close_writes().is_ok() && talk.finish().is_ok() && good;
  return good;
}
}  // namespace service_I
"""

THEIRS = """
namespace service_I {
class Served final : public compared::ServiceI::Service {
 public:
  grpc::Status First(grpc::ServerContext*, const Request* request, Response* response) override {
    response->set_number(request->number());
    return grpc::Status::OK;
  }
  grpc::Status Second(grpc::ServerContext*, const Request* request, Response* response) override {
    response->set_number(request->number() + 1);
    return grpc::Status::OK;
  }
  grpc::Status Gather(grpc::ServerContext*, grpc::ServerReader<Request>* reader, Response* response) override {
    Request request;
    while (reader->Read(&request)) response->set_number(response->number() + request.number());
    return grpc::Status::OK;
  }
  grpc::Status Spread(grpc::ServerContext*, const Request* request, grpc::ServerWriter<Response>* writer) override {
    Response response;
    bool good = true;
    for (std::int64_t i = 0; i < request->number() && good; ++i) good = writer->Write(response);
    return grpc::Status::OK;
  }
  grpc::Status Talk(grpc::ServerContext*, grpc::ServerReaderWriter<Response, Request>* stream) override {
    Request request;
    Response response;
    while (stream->Read(&request)) {
      response.set_number(request.number());
      if (!stream->Write(response)) break;
    }
    return grpc::Status::OK;
  }
};
void serve(grpc::ServerBuilder& builder) {
  static Served served;
  builder.RegisterService(&served);
}
bool call(const std::shared_ptr<grpc::Channel>& channel) {
  const auto stub = compared::ServiceI::NewStub(channel);
  Request request;
  Response response;
  grpc::ClientContext contexts[5];
  bool good = stub->First(&contexts[0], request, &response).ok();
  good = stub->Second(&contexts[1], request, &response).ok() && good;
  auto gather = stub->Gather(&contexts[2], &response);
  good = gather->Write(request) && gather->WritesDone() && gather->Finish().ok() && good;
  auto spread = stub->Spread(&contexts[3], request);
  good = spread->Read(&response) && spread->Finish().ok() && good;
  auto talk = stub->Talk(&contexts[4]);
  good = talk->Write(request) && talk->Read(&response) && talk->WritesDone() && talk->Finish().ok() && good;
  return good;
}
}  // namespace service_I
"""


def source(count, includes, text):
    head = includes + "#include <cstdint>\n#include <memory>\nusing compared::Request;\nusing compared::Response;\n"
    numbered = (text.replace("ServiceI", f"Service{i}").replace("service_I", f"service_{i}") for i in range(count))
    return head + "".join(numbered)


def processor_seconds():
    """What the compilers run so far have used: what else the machine does tells less in it than on a clock."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Contestant:
    """What one side compiles: the name of each part and its file, in a folder of its own."""

    def __init__(self, name, folder, parts, flags):
        self.name, self.folder, self.parts, self.flags = name, folder, parts, flags
        self.seconds = {part: [] for part in parts}

    def compile(self, compiler):
        for part, file in self.parts.items():
            command = [*compiler, "-std=c++20", "-O2", "-c", f"-I{self.folder}", *self.flags, file, "-o", file + ".o"]
            started = processor_seconds()
            subprocess.run(command, cwd=self.folder, check=True)
            self.seconds[part].append(processor_seconds() - started)

    def kibibytes(self, part):
        """Code and data, as `size` counts them: not what a link editor removes."""
        listing = subprocess.check_output(["size", self.parts[part] + ".o"], cwd=self.folder, text=True)
        return int(listing.splitlines()[1].split()[3]) / 1024


def run_protoc(arguments, folder, outputs):
    subprocess.run([arguments.protoc, f"-I{folder}", f"--cpp_out={folder}", *outputs, "services.proto"], check=True)


def prepare_ours(arguments, folder, count):
    run_protoc(arguments, folder, [f"--plugin=protoc-gen-trunkline={arguments.plugin}", f"--trunkline_out={folder}"])
    includes = '#include "services.trunkline.h"\n'
    (folder / "use.cpp").write_text(source(count, includes, OURS))
    (folder / "include.cpp").write_text(includes)
    parts = {"include": "include.cpp", "serve and call": "use.cpp"}
    return Contestant("trunkline", folder, parts, shlex.split(arguments.flags))


def prepare_theirs(arguments, folder, count):
    run_protoc(arguments, folder, [f"--plugin=protoc-gen-grpc={arguments.grpc_plugin}", f"--grpc_out={folder}"])
    includes = '#include "services.grpc.pb.h"\n#include <grpcpp/grpcpp.h>\n'
    (folder / "use.cpp").write_text(source(count, includes, THEIRS))
    (folder / "include.cpp").write_text(includes)
    parts = {"include": "include.cpp", "serve and call": "use.cpp", "generated source": "services.grpc.pb.cc"}
    return Contestant("gRPC", folder, parts, shlex.split(arguments.grpc_flags))


def report(count, contestants):
    print(f"\n{count} service{'s' if count > 1 else ''} of {len(METHODS)} methods")
    print(f"{'':32}{'CPU s':>10}{'KiB':>10}")
    totals = []
    for contestant in contestants:
        total = (0.0, 0.0)
        for part in contestant.parts:
            figures = (statistics.median(contestant.seconds[part]), contestant.kibibytes(part))
            print(f"{contestant.name + ': ' + part:32}{figures[0]:10.2f}{figures[1]:10.1f}")
            # That of the headers alone is in the others.
            if part != "include":
                total = (total[0] + figures[0], total[1] + figures[1])
        print(f"{contestant.name + ': together':32}{total[0]:10.2f}{total[1]:10.1f}")
        totals.append(total)
    ours, theirs = totals
    print(f"{'trunkline / gRPC':32}{ours[0] / theirs[0]:10.2f}{ours[1] / theirs[1]:10.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--grpc-plugin", required=True)
    parser.add_argument("--protoc", default="protoc")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--flags", default="", help="for code that uses trunkline")
    parser.add_argument("--grpc-flags", default="")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--services", type=int, nargs="+", default=[1, 20])
    arguments = parser.parse_args()
    for count in arguments.services:
        with tempfile.TemporaryDirectory() as temporary:
            contestants = []
            for name, prepare in (("ours", prepare_ours), ("theirs", prepare_theirs)):
                folder = pathlib.Path(temporary) / name
                folder.mkdir()
                (folder / "services.proto").write_text(definition(count))
                contestants.append(prepare(arguments, folder, count))
            for _ in range(arguments.runs):
                for contestant in contestants:
                    contestant.compile(shlex.split(arguments.compiler))
            report(count, contestants)


if __name__ == "__main__":
    main()
